/* The squares of a heatmap for keyboards and screen readers: a button over each, of which one is reached by Tab and the
   others by arrow keys. Mice go through to the chart. */
(function () {
  "use strict";
  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const SIDEWAYS = 4; // what is not straight ahead is this much farther

  function centre(button) {
    const box = button.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  /* The nearest one in that direction, in the same row or column if there is any; null at the edge. */
  function next(buttons, from, [dx, dy]) {
    const [x, y] = centre(from);
    let found = null, least = Infinity;
    buttons.forEach((button) => {
      const [right, down] = [centre(button)[0] - x, centre(button)[1] - y];
      const ahead = right * dx + down * dy;
      const far = ahead + SIDEWAYS * Math.abs(right * dy + down * dx);
      if (ahead > 1 && far < least) [found, least] = [button, far];
    });
    return found;
  }

  function over(path, whole) {
    const box = path.getBoundingClientRect();
    const share = (part, all) => ((part / all) * 100).toFixed(3) + "%";
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "ll-square", tabIndex: -1 });
    Object.assign(button.style, {
      left: share(box.x - whole.x, whole.width), top: share(box.y - whole.y, whole.height),
      width: share(box.width, whole.width), height: share(box.height, whole.height),
    });
    const datum = path.__data__.datum;
    button.setAttribute("aria-label", datum.said);
    button.dataset.square = datum.square;
    return [datum.panel, button];
  }

  /* Puts the buttons over the chart in `canvas`, in a group for each panel; `pick(square)` opens one. */
  function cover(canvas, pick) {
    const svg = canvas.querySelector("svg.marks");
    const paths = Array.from(svg.querySelectorAll(".mark-rect path"));
    const found = paths
      .filter((path) => path.__data__ && path.__data__.datum && path.__data__.datum.said)
      .map((path) => over(path, svg.getBoundingClientRect()));
    const panels = new Map();
    found.forEach(([panel, button]) => panels.set(panel, [...(panels.get(panel) || []), button]));
    const layer = document.createElement("div");
    layer.className = "ll-squares";
    panels.forEach((own, panel) => {
      const group = document.createElement("div");
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", panel);
      group.append(...own);
      layer.append(group);
    });
    const buttons = found.map(([, button]) => button);
    if (!buttons.length) return;
    buttons[0].tabIndex = 0;
    layer.addEventListener("focusin", (event) => {
      buttons.forEach((button) => { button.tabIndex = button === event.target ? 0 : -1; });
    });
    layer.addEventListener("click", (event) => {
      if (event.target.dataset.square) pick(event.target.dataset.square);
    });
    layer.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      const ends = { Home: buttons[0], End: buttons[buttons.length - 1] };
      const target = step ? next(buttons, event.target, step) : ends[event.key];
      if (step || target) event.preventDefault();
      if (target) target.focus();
    });
    canvas.append(layer);
  }

  /* Says which square is open. */
  function mark(canvas, square) {
    canvas.querySelectorAll(".ll-square").forEach((button) => {
      if (square && button.dataset.square === square) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
  }

  window.longlookSquares = { cover, mark };
})();
