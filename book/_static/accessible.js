/* A table that is wider than its place, or on a phone has words in columns of a word's width, becomes cards: one for
   each row, with every cell below the name of its column. Of many rows the first stand there, and the others on demand. */
(function () {
  "use strict";

  const MANY = 8, PHONE_PX = 500, TALL_PX = 120;

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

  function shorten(table) {
    const rows = table.tBodies[0].rows.length;
    if (rows <= MANY) return;
    const more = document.createElement("button");
    more.className = "ll-more";
    more.textContent = `All ${rows} rows`;
    more.onclick = () => table.classList.remove("ll-few");
    table.classList.add("ll-few");
    table.after(more);
  }

  function look(table) {
    table.classList.remove("ll-cards");
    const place = table.parentElement.clientWidth, tall = table.tBodies[0].offsetHeight / table.tBodies[0].rows.length;
    table.classList.toggle("ll-cards", table.offsetWidth > place || (place < PHONE_PX && tall > TALL_PX));
  }

  /* `root`: the page, or what was added to it. */
  function watch(root) {
    root.querySelectorAll("table:has(thead tr)").forEach((table) => {
      let width = 0;
      name(table);
      shorten(table);
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
