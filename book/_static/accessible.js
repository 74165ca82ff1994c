/* A table that is wider than its place becomes cards: one for each row, with every cell below the name of its column. */
(function () {
  "use strict";

  /* Of each column its name, behind that of the group that it stands in. */
  function columns(table) {
    const rows = Array.from(table.tHead.rows, (row) =>
      Array.from(row.cells).flatMap((cell) => Array(cell.colSpan).fill(cell.textContent.trim())));
    return rows.pop().map((name, at) => [...rows.map((above) => above[at]), name].filter(Boolean).join(": "));
  }

  function name(table) {
    const names = columns(table);
    table.querySelectorAll("tbody tr").forEach((row) => {
      Array.from(row.cells).forEach((cell, at) => { if (cell.colSpan === 1 && names[at]) cell.dataset.label = names[at]; });
    });
  }

  function look(table) {
    table.classList.remove("ll-cards");
    table.classList.toggle("ll-cards", table.offsetWidth > table.parentElement.clientWidth);
  }

  /* `root`: the page, or what was added to it. */
  function watch(root) {
    root.querySelectorAll("table:has(thead tr)").forEach((table) => {
      let width = 0;
      name(table);
      new ResizeObserver(([place]) => {
        if (place.contentRect.width === width) return;
        width = place.contentRect.width;
        requestAnimationFrame(() => look(table));
      }).observe(table.parentElement);
    });
  }

  /* What is printed cannot be opened on demand. */
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details.ll-fold, details.sd-dropdown").forEach((one) => { one.open = true; });
  });
  window.longlookCards = watch;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => watch(document));
  else watch(document);
})();
