/* Draws the live charts of the book from the data inside each page. Fetches nothing but the Vega bundle
   that lies beside this file, and that only on pages with a chart. */
(function () {
  "use strict";
  const here = document.currentScript.src;

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    Object.entries(attributes || {}).forEach(([key, value]) => node.setAttribute(key, value));
    children.forEach((child) => node.append(child));
    return node;
  }

  function loadBundle() {
    return new Promise((resolve, reject) => {
      const script = el("script", { src: here.replace(/longlook\.js.*$/, "vega-bundle.js") });
      script.onload = resolve;
      script.onerror = () => reject(new Error("cannot read " + script.src));
      document.head.append(script);
    });
  }

  const OPTIONS = { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false } };

  function number(value, digits) {
    if (value === null || value === undefined) return "–";
    return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  function cell(part) {
    if (!part || part.mean === null) return "none accepted";
    const spread = part.sd === null ? "" : " ± " + number(part.sd, 1);
    return number(part.mean, 1) + spread + " (" + part.n + ")";
  }

  /* One row of facts per column of the figure. */
  function factsTable(data, square) {
    const head = ["mean ± sd, " + data.unit + " (n)", data.labels.left, data.labels.right, "difference", "Welch's p", "verdict"];
    const table = el("table", { class: "ll-facts" });
    table.append(el("thead", {}, el("tr", {}, ...head.map((text) => el("th", {}, text)))));
    const body = el("tbody");
    data.sources.forEach((source) => {
      const fact = (data.facts[square] || {})[source.key];
      const texts = fact
        ? [source.title, cell(fact.left), cell(fact.right), fact.pct, fact.p, fact.verdict]
        : [source.title, "not measured", "not measured", "–", "–", "–"];
      body.append(el("tr", {}, ...texts.map((text, i) => el(i ? "td" : "th", {}, text))));
      if (fact && fact.raw) {
        const path = el("td", { colspan: "6", class: "ll-raw" }, "raw record: ", el("code", {}, fact.raw));
        body.append(el("tr", {}, path));
      }
    });
    const floor = data.floors[square];
    if (floor) {
      const texts = ["floor, " + data.unit, number(floor.left, 1), number(floor.right, 1), "", "", ""];
      body.append(el("tr", {}, ...texts.map((text, i) => el(i ? "td" : "th", {}, text))));
    }
    table.append(body);
    return table;
  }

  /* Points, means and floors of one square, in the form the strip chart wants. */
  function series(data, square) {
    const points = [], means = [], floors = [], notes = [];
    data.sources.forEach((source) => {
      const fact = (data.facts[square] || {})[source.key];
      ["left", "right"].forEach((side) => {
        const row = data.labels[side] + ", " + source.short;
        const loads = ((data.loads[square] || {})[source.key + ":" + side]) || [];
        const part = fact && fact[side];
        if (!loads.length && !(part && part.mean !== null)) return;
        loads.forEach(([index, value, state, reason], order) => {
          if (value === null) return;
          const analysed = state === 0;
          points.push({ row, side, index, value, state: data.states[state], reason: reason || "",
            lane: order % data.lanes, fill: analysed ? data.colours[side] : "transparent" });
        });
        if (part && part.mean !== null) {
          const sd = part.sd || 0;
          means.push({ row, mean: part.mean, low: part.mean - sd, high: part.mean + sd });
        }
        const floor = (data.floors[square] || {})[side];
        if (floor) floors.push({ row, floor });
        if (loads.length) notes.push(row + ": " + counts(loads));
      });
    });
    return { points, means, floors, notes };
  }

  function counts(loads) {
    const of = (state) => loads.filter((load) => load[2] === state);
    const blank = loads.filter((load) => load[1] === null).length;
    const reasons = {};
    of(2).forEach((load) => { reasons[load[3]] = (reasons[load[3]] || 0) + 1; });
    const why = Object.entries(reasons).map(([reason, count]) => reason.replaceAll("_", " ") + " " + count).join(", ");
    let text = of(0).length + " analysed, " + of(1).length + " first load, " + of(2).length + " rejected";
    if (why) text += " (" + why + ")";
    if (blank) text += ", " + blank + " without a time and not drawn";
    return text;
  }

  function showSquare(root, data, square) {
    const detail = root.querySelector(".ll-detail");
    detail.replaceChildren();
    root.dataset.square = square || "";
    if (!square) return;
    const found = series(data, square);
    detail.append(el("p", { class: "ll-name" }, data.names[square]),
      el("div", { class: "ll-scroll" }));
    detail.lastChild.append(factsTable(data, square));
    const strip = el("div", { class: "ll-strip" });
    detail.append(strip, el("p", { class: "ll-key" }, data.key));
    if (found.notes.length) detail.append(el("p", { class: "ll-key" }, found.notes.join(". ") + "."));
    const spec = Object.assign({}, data.strip, {
      datasets: { points: found.points, means: found.means, floors: found.floors } });
    return window.vegaEmbed(strip, spec, OPTIONS).then(fit);
  }

  /* A wide chart shrinks with a narrow page instead of being cut. */
  function fit(result) {
    const svg = result.view.container().querySelector("svg");
    if (svg) { svg.style.maxWidth = "100%"; svg.style.height = "auto"; }
    return result;
  }

  /* The same choice for keyboards and small screens. */
  function chooser(data, pick) {
    const select = el("select", {}, el("option", { value: "" }, "choose, or click a square"));
    data.order.forEach((square) => select.append(el("option", { value: square }, data.names[square])));
    select.addEventListener("change", () => pick(select.value));
    return { select, label: el("label", { class: "ll-choose" }, "Loads of: ", select) };
  }

  function draw(root) {
    const data = JSON.parse(root.querySelector(".ll-data").textContent);
    const live = root.querySelector(".ll-live");
    return window.vegaEmbed(live, data.spec, OPTIONS).then(fit).then((result) => {
      root.classList.add("ll-ready");
      if (!data.facts) return;
      let choose = null;
      const pick = (square) => {
        result.view.signal("pick", square || "").runAsync();
        choose.select.value = square || "";
        return showSquare(root, data, square);
      };
      choose = chooser(data, pick);
      root.querySelector(".ll-detail").before(choose.label);
      result.view.addEventListener("click", (event, item) => {
        if (item && item.datum && item.datum.square) pick(item.datum.square);
      });
    });
  }

  function start() {
    const charts = Array.from(document.querySelectorAll(".ll-chart"));
    if (!charts.length) return;
    loadBundle()
      .then(() => Promise.all(charts.map((root) => draw(root).catch((error) => failed(root, error)))))
      .catch((error) => charts.forEach((root) => failed(root, error)));
  }

  function failed(root, error) {
    root.classList.remove("ll-ready");
    root.querySelector(".ll-live").replaceChildren();
    root.append(el("p", { class: "ll-note" }, "The live chart could not be drawn (" + error.message + "); this is its static picture."));
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
