/* One load of each arm of a square, object by object against time, below the square's loads. */
(function () {
  "use strict";
  const WIDTH_PX = 560, MARGIN_PX = 40;

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

  /* The chart's rows, one for each object of either load; how many one load has at most; both loads in words. */
  function filled(data, loads) {
    const rows = [], told = [];
    let most = 1;
    ["left", "right"].forEach((side, place) => {
      const load = loads[side], seen = objects(load.times, data.waterfall.parts_of_a_ms);
      const title = data.labels[side] + ", load " + load.index, name = title + ": " + ms(load.value);
      seen.forEach(([started, answered, ended], object) => rows.push({ load: name, place, side, value: load.value, object,
        started, answered, ended, what: data.labels[side] + ", " + (object ? "object " + object : "the page"),
        told: "asked for at " + ms(started) + ", answered at " + ms(answered) + ", whole at " + ms(ended) }));
      most = Math.max(most, seen.length);
      told.push(sentence(title, seen, load.value));
    });
    return { rows, most, told };
  }

  window.longlookWaterfall = function (root, data, square, { el, fit, OPTIONS }) {
    const loads = data.waterfall.loads[square];
    if (!loads) return null;
    const found = filled(data, loads), detail = root.querySelector(".ll-detail");
    const chart = el("div", { class: "ll-strip ll-waterfall" });
    detail.append(
      el("p", { class: "ll-key ll-heading" }, "One load of each, object by object (" + loads.left.source + ")"), chart,
      el("p", { class: "ll-key" }, data.waterfall.key), el("p", { class: "ll-key" }, found.told.join(" ")));
    const px = data.waterfall.bar_px, step = Math.max(px.least, Math.min(px.largest, px.all / found.most));
    const spec = Object.assign({}, data.waterfall.spec, { datasets: { objects: found.rows } });
    spec.spec = Object.assign({}, spec.spec, { height: { step },
      width: Math.max(120, Math.min(WIDTH_PX, root.clientWidth - MARGIN_PX)) });
    return window.vegaEmbed(chart, spec, OPTIONS).then((result) => fit(result, "Waterfall. " + found.told.join(" ")));
  };
})();
