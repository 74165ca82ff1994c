/* Boxes that scroll sideways are reached by Tab, and have a name, wherever they are wider than their place. */
(function () {
  "use strict";

  function words(table) {
    const heads = Array.from(table.querySelectorAll("thead tr:last-child th")).map((cell) => cell.textContent.trim());
    return heads.filter(Boolean).slice(0, 4).join(", ");
  }

  function look(box, number) {
    const wide = box.scrollWidth > box.clientWidth;
    if (!wide) {
      ["tabindex", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
      return;
    }
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Wide table " + number + ": " + words(box));
  }

  /* `root`: the page, or what was added to it. */
  function watch(root) {
    root.querySelectorAll(".ll-scroll").forEach((box) => {
      const number = (watch.count = (watch.count || 0) + 1);
      new ResizeObserver(() => look(box, number)).observe(box);
    });
  }

  /* What is printed cannot be opened on demand. */
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details.ll-fold, details.sd-dropdown").forEach((one) => { one.open = true; });
  });
  window.longlookScrolling = watch;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => watch(document));
  else watch(document);
})();
