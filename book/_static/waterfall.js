/* One load of each arm of a square, object by object against time, below the square's loads. */
(function () {
  "use strict";
  const WIDTH_PX = 560, MARGIN_PX = 40, TITLE_PX = 20, GAP_PX = 14;
  const MOST_PX = 150, LEAST_BAR_PX = 1.5, LARGEST_BAR_PX = 14; // of all bars of a load, and of one

  /* [started, answered, ended] in ms of each object. */
  function objects(times, partsOfAMs) {
    const found = [];
    for (let at = 0; at < times.length; at += 3) {
      const started = times[at], answered = started + times[at + 1], ended = answered + times[at + 2];
      found.push([started, answered, ended].map((one) => one / partsOfAMs));
    }
    return found;
  }

  const ms = (value) => value.toFixed(value < 100 ? 1 : 0) + " ms";

  /* A load in one sentence, which also is what screen readers get. */
  function sentence(title, seen, value) {
    const [page, rest] = [seen[0], seen.slice(1)];
    let text = title + ": the page is asked for at " + ms(page[0]) + " and whole at " + ms(page[2]) + "; ";
    if (rest.length) {
      const first = Math.min(...rest.map((one) => one[0])), asked = Math.max(...rest.map((one) => one[0]));
      const ended = Math.max(...rest.map((one) => one[2]));
      text += rest.length === 1 ? "its object is asked for at " + ms(first) + ", begins to arrive at " + ms(rest[0][1])
        : "its " + rest.length + " objects are asked for from " + ms(first) + " to " + ms(asked) +
          ", the first begins to arrive at " + ms(Math.min(...rest.map((one) => one[1])));
      text += " and the last byte is there at " + ms(ended) + "; ";
    }
    return text + "page load time " + ms(value) + ".";
  }

  /* Data of the chart, and how high it is. */
  function layout(data, loads) {
    const parts = [], ends = [], titles = [], told = [];
    let y = 0;
    ["left", "right"].forEach((side, place) => {
      const load = loads[side], seen = objects(load.times, data.waterfall.parts_of_a_ms);
      const bar = Math.max(LEAST_BAR_PX, Math.min(LARGEST_BAR_PX, MOST_PX / seen.length));
      const title = data.labels[side] + ", load " + load.index;
      if (place) y += GAP_PX;
      titles.push({ y: y + TITLE_PX / 2, text: title + ": " + ms(load.value) });
      const top = y + TITLE_PX;
      seen.forEach(([started, answered, ended], number) => {
        const above = top + number * bar, below = above + bar * (bar > 4 ? 0.8 : 1);
        const what = data.labels[side] + ", " + (number ? "object " + number : "the page");
        const words = "asked for at " + ms(started) + ", answered at " + ms(answered) + ", whole at " + ms(ended);
        parts.push({ x: started, x2: answered, y: above, y2: below, side, phase: "waits", what, told: words });
        parts.push({ x: answered, x2: ended, y: above, y2: below, side, phase: "arrives", what, told: words });
      });
      y = top + seen.length * bar;
      ends.push({ x: load.value, y: top - 3, y2: y + 3 });
      told.push(sentence(title, seen, load.value));
    });
    ends.push({ x: 0, y, y2: y }); // the scale ends where the bars do
    return { datasets: { parts, ends, titles }, height: y, told };
  }

  window.longlookWaterfall = function (root, data, square, { el, fit, OPTIONS }) {
    const loads = data.waterfall.loads[square];
    if (!loads) return null;
    const found = layout(data, loads), detail = root.querySelector(".ll-detail");
    const chart = el("div", { class: "ll-strip ll-waterfall" });
    detail.append(
      el("p", { class: "ll-key ll-heading" }, "One load of each, object by object (" + loads.left.source + ")"), chart,
      el("p", { class: "ll-key" }, data.waterfall.key), el("p", { class: "ll-key" }, found.told.join(" ")));
    const spec = Object.assign({}, data.waterfall.spec, { datasets: found.datasets, height: found.height,
      width: Math.max(120, Math.min(WIDTH_PX, root.clientWidth - MARGIN_PX)) });
    return window.vegaEmbed(chart, spec, OPTIONS).then((result) => fit(result, "Waterfall. " + found.told.join(" ")));
  };
})();
