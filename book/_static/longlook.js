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

  const SAVE = "Save this chart";
  const OPTIONS = { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false },
    i18n: { CLICK_TO_VIEW_ACTIONS: SAVE } };
  const NARROW_PX = 640; // below it panels are stacked: scaled down, their text would be too small
  const STRIP_PX = 560, STRIP_LABELS_PX = 190;

  function number(value, digits) {
    if (value === null || value === undefined) return "–";
    return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  function cell(part) {
    return part && part.text ? part.text + " (" + part.n + ")" : "none accepted";
  }

  /* One row of facts per column of the figure. */
  function factsTable(data, square) {
    const head = ["mean ± sd, " + data.unit + " (n)", data.labels.left, data.labels.right, "difference", "test", "shown", "Welch's test"];
    const table = el("table", { class: "ll-facts" }, el("caption", { class: "ll-name" }, data.names[square]));
    table.append(el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))));
    const body = el("tbody");
    data.sources.forEach((source) => {
      const fact = (data.facts[square] || {})[source.key];
      const texts = fact
        ? [source.title, cell(fact.left), cell(fact.right), fact.pct, fact.test, fact.verdict, fact.welch]
        : [source.title, "not measured", "not measured", "–", "–", "–", "–"];
      body.append(el("tr", {}, ...texts.map((text, i) => el(i ? "td" : "th", {}, text))));
      if (fact && fact.raw) {
        const path = el("td", { colspan: "7", class: "ll-raw" }, "raw record: ", el("code", {}, fact.raw));
        body.append(el("tr", {}, path));
      }
    });
    const floor = data.floors[square];
    if (floor) {
      const texts = ["floor, " + data.unit, number(floor.left, 1), number(floor.right, 1), "", "", "", ""];
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

  /* What screen readers are told when a square is opened; the rest is there to be read. */
  function said(data, square) {
    const verdicts = data.sources.map((source) => {
      const fact = (data.facts[square] || {})[source.key];
      return source.title + ": " + (fact ? fact.verdict : "not measured") + ".";
    });
    return "Below the chart: loads of " + data.names[square] + ". " + verdicts.join(" ");
  }

  function showSquare(root, data, square) {
    const detail = root.querySelector(".ll-detail");
    detail.replaceChildren();
    root.dataset.square = square || "";
    root.querySelector(".ll-said").textContent = square ? said(data, square) : "";
    if (!square) return;
    const found = series(data, square);
    detail.append(el("div", { class: "ll-scroll" }));
    detail.lastChild.append(factsTable(data, square));
    if (window.longlookCards) window.longlookCards(detail);
    const strip = el("div", { class: "ll-strip" });
    detail.append(strip, el("p", { class: "ll-key" }, data.key));
    if (found.notes.length) detail.append(el("p", { class: "ll-key" }, found.notes.join(". ") + "."));
    const spec = Object.assign({}, data.strip, {
      width: Math.max(120, Math.min(STRIP_PX, root.clientWidth - STRIP_LABELS_PX)),
      datasets: { points: found.points, means: found.means, floors: found.floors } });
    if (data.waterfall && window.longlookWaterfall) window.longlookWaterfall(root, data, square, { el, fit, OPTIONS });
    const alt = "Loads of " + data.names[square] + ", the numbers of the table above as points. " + found.notes.join(". ");
    return window.vegaEmbed(strip, spec, OPTIONS).then((result) => fit(result, alt));
  }

  /* A wide chart shrinks with a narrow page instead of being cut. To screen readers it is one picture and says what it
     shows (Vega's own labels read out the names of its fields), beside a menu with a name. */
  function fit(result, alt) {
    const picture = result.view.container(), svg = picture.querySelector("svg");
    svg.style.maxWidth = "100%";
    svg.style.height = "auto";
    svg.setAttribute("aria-hidden", "true");
    picture.removeAttribute("aria-roledescription");
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", alt);
    const canvas = el("div", { class: "ll-canvas" });
    picture.replaceWith(canvas);
    canvas.append(picture);
    canvas.parentElement.querySelectorAll("summary").forEach((menu) => menu.setAttribute("aria-label", SAVE));
    // The menu's links get their picture when a mouse goes down on them: keys do the same.
    canvas.parentElement.querySelectorAll(".vega-actions a").forEach((link) => {
      link.addEventListener("focus", () => link.dispatchEvent(new MouseEvent("mousedown", { cancelable: true })));
    });
    return result;
  }

  /* The same choice as a list. */
  function chooser(data, pick) {
    const select = el("select", {}, el("option", { value: "" }, "choose, or click a square"));
    data.order.forEach((square) => select.append(el("option", { value: square }, data.names[square])));
    select.addEventListener("change", () => pick(select.value));
    return { select, label: el("label", { class: "ll-choose" }, "Loads of: ", select) };
  }

  function isNarrow(root) {
    return root.clientWidth < NARROW_PX;
  }

  /* The chart for the width that there is; both have their data in common. */
  function specFor(data, narrow) {
    if (!narrow || !data.narrow) return data.spec;
    return Object.assign({}, data.narrow, { datasets: Object.assign({}, data.spec.datasets, data.narrow.datasets) });
  }

  /* What opens and closes the squares of one chart, however often it is drawn. */
  function opener(root, data, chart) {
    const pick = (square) => {
      chart.view.signal("pick", square || "").runAsync();
      choose.select.value = square || "";
      if (window.longlookSquares) window.longlookSquares.mark(root, square);
      return showSquare(root, data, square);
    };
    const choose = chooser(data, pick);
    root.querySelector(".ll-detail").before(choose.label, el("p", { class: "ll-said", role: "status" }));
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !root.dataset.square) return;
      const inside = root.querySelector(".ll-detail").contains(document.activeElement);
      pick("");
      const square = root.querySelector('.ll-square[tabindex="0"]');
      if (inside && square) square.focus();
    });
    return pick;
  }

  function draw(root) {
    const text = root.querySelector(".ll-data").textContent, data = JSON.parse(text);
    const live = root.querySelector(".ll-live"), alt = root.querySelector(".ll-static").alt;
    const chart = { view: null, narrow: null, end: null };
    let pick = null;

    function redraw() {
      chart.narrow = isNarrow(root);
      root.classList.toggle("ll-narrow", chart.narrow);
      if (chart.end) chart.end();
      // Vega keeps notes in the data that it is given: each drawing gets its own.
      const spec = specFor(chart.view ? JSON.parse(text) : data, chart.narrow);
      return window.vegaEmbed(live, spec, OPTIONS).then((result) => {
        Object.assign(chart, { view: fit(result, alt).view, end: () => result.finalize() });
        root.classList.add("ll-ready");
        if (!data.facts) return;
        if (!pick) pick = opener(root, data, chart);
        if (window.longlookSquares) window.longlookSquares.cover(live.querySelector(".ll-canvas"), pick);
        chart.view.addEventListener("click", (event, item) => {
          if (item && item.datum && item.datum.square) pick(item.datum.square);
        });
        if (root.dataset.square) return pick(root.dataset.square);
      });
    }

    const watch = () => new ResizeObserver(() => {
      if (isNarrow(root) !== chart.narrow) redraw().catch((error) => failed(root, error));
    }).observe(root);
    return redraw().then(watch);
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
