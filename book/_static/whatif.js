/* The panel of the page "What if": the floor of the condition that the reader chooses, and the measured cells nearest
   to it. `floor` is a port of src/longlook/experiment/floor.py, which gives its sources; a test holds them together. */
(function () {
  "use strict";
  const MTU_BYTES = 1500, CREDIT_BYTES = 1460, CONTROL_PACKETS = 8, REQUEST_ROUNDS = 2;
  const FULL_QUIC_BYTES = 1200 - 48; // of the smallest datagrams that a QUIC sender fills
  const HANDSHAKE_ROUNDS = { "0rtt": 0, "1rtt": 1 }; // of QUIC
  const QUIC = { protocol: "quic", handshake_rounds: 0, window_packets: 32, payload_bytes: MTU_BYTES - 44,
    overshoot_packets: 1 };
  const TCP = { protocol: "tcp", handshake_rounds: 2, window_packets: 10, payload_bytes: MTU_BYTES - 40,
    overshoot_packets: 0 };

  /* 1024 bytes per KB below 1 MB, 1,000,000 per MB from there. */
  function bytesOfKb(kb) {
    return kb >= 1000 ? kb * 1000 : kb * 1024;
  }

  /* Most bytes of objects that can leave before the first of them is acknowledged. */
  function windowAtObjects(transport, count) {
    const page = Math.ceil((1024 + 128 * count) / 1000);
    return (transport.window_packets + CONTROL_PACKETS + page + transport.overshoot_packets) * CREDIT_BYTES;
  }

  /* Window after a round trip over window before it, at most. */
  function growth(transport, size) {
    if (transport.protocol === "tcp") return 2;
    return 1 + CREDIT_BYTES / (size / Math.ceil(size / FULL_QUIC_BYTES));
  }

  /* Parts of the least page load time, ms. `where`: bandwidth_mbps, rtt_ms, size_bytes of each object, count. */
  function floor(where, transport) {
    const total = where.size_bytes * where.count;
    const packetsPerMs = (where.bandwidth_mbps * 1e3) / 8 / MTU_BYTES;
    const serialise = (bytes) => bytes / transport.payload_bytes / packetsPerMs;
    let window = windowAtObjects(transport, where.count), sendable = window, transfer = serialise(total);
    for (let rounds = 1; sendable < total; rounds += 1) {
      transfer = Math.max(transfer, rounds * where.rtt_ms + serialise(total - sendable));
      window *= growth(transport, where.size_bytes);
      sendable += window;
    }
    const parts = {
      handshake_ms: transport.handshake_rounds * where.rtt_ms, requests_ms: REQUEST_ROUNDS * where.rtt_ms,
      slow_start_ms: transfer - serialise(total), serialisation_ms: serialise(total),
    };
    return { ...parts, total_ms: Object.values(parts).reduce((sum, part) => sum + part, 0) };
  }

  const LOSS_WEIGHT = 3; // one percentage point of loss is as far as three doublings

  /* In doublings of bandwidth, RTT, bytes in all and objects, and in loss; Euclidean. */
  function distance(one, other) {
    const doublings = (of) => Math.log2(of(one) / of(other));
    return Math.hypot(
      doublings((at) => at.bandwidth_mbps), doublings((at) => at.rtt_ms), doublings((at) => at.size_bytes * at.count),
      doublings((at) => at.count), LOSS_WEIGHT * (one.loss_pct - other.loss_pct));
  }

  /* The `most` nearest cells, each with its distance, the nearest first. */
  function nearest(cells, where, most) {
    const found = cells.map((cell) => ({ ...cell, distance: distance(cell, where) }));
    return found.sort((one, other) => one.distance - other.distance).slice(0, most);
  }

  if (typeof module !== "undefined") {
    module.exports = { floor, nearest, bytesOfKb, QUIC, TCP, HANDSHAKE_ROUNDS };
    return;
  }

  const MOST_CELLS = 6, DELAY_MS = 200;
  const NUMBERS = [ // name, label, value, least, most, step
    ["bandwidth_mbps", "Bandwidth, Mbit/s", 20, 0.1, 10000, "any"],
    ["rtt_ms", "RTT, ms", 50, 1, 10000, "any"],
    ["loss_pct", "Loss, % (half of it each way)", 0, 0, 50, "any"],
    ["size_kb", "Size of each object, KB", 100, 1, 100000, 1],
    ["count", "Objects", 10, 1, 10000, 1],
    ["tcp_window", "TCP: initial window, packets", TCP.window_packets, 1, 100, 1],
  ];
  const CHOICES = [ // name, label, value, values with their words
    ["quic_window", "QUIC: initial window, packets", QUIC.window_packets, [3, 10, 20, 32, 50].map((one) => [one, one])],
    ["handshake", "QUIC: handshake", "0rtt", [["0rtt", "0-RTT (resumed)"], ["1rtt", "1-RTT (first visit)"]]],
  ];
  const PARTS = [["handshake_ms", "handshake"], ["requests_ms", "requests"], ["slow_start_ms", "slow start"],
    ["serialisation_ms", "serialisation"], ["total_ms", "floor"]];
  const FLOOR_HEAD = ["part", "QUIC, ms", "TCP, ms"];
  const CELL_HEAD = ["cell", "figure", "software", "distance", "QUIC, ms", "TCP, ms", "faster", "QUIC, ms", "TCP, ms",
    "faster", "QUIC", "TCP"];
  const GROUPS = [["", 4], ["published", 3], ["re-measured", 3], ["times its floor", 2]];
  const WORDS = new Set(["part", "cell", "figure", "software", "faster"]);

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
    node.append(...children);
    return node;
  }

  function number(value, digits) {
    if (value === null) return "–";
    return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  function ms(value) {
    return number(value, value < 1000 ? 1 : 0);
  }

  function sizeLabel(bytes) {
    return bytes < 1e6 ? bytes / 1024 + " KB" : bytes / 1e6 + " MB";
  }

  function label(at) {
    const parts = [sizeLabel(at.size_bytes) + " × " + at.count, at.bandwidth_mbps + " Mbit/s", at.rtt_ms + " ms"];
    if (at.loss_pct) parts.push(at.loss_pct + " % loss");
    return parts.join(", ");
  }

  function heads(texts) {
    return el("tr", {}, ...texts.map((text) => el("th", { scope: "col", class: WORDS.has(text) ? "" : "num" }, text)));
  }

  /* `head`: what stands above, which tells words from numbers. */
  function row(texts, head) {
    const cells = texts.map((text, i) => (i ? el("td", { class: WORDS.has(head[i]) ? "" : "num" }, text)
      : el("th", { scope: "row" }, text)));
    return el("tr", {}, ...cells);
  }

  function inputs() {
    const numbers = NUMBERS.map(([name, text, value, min, max, step]) =>
      [text, el("input", { type: "number", required: "", name, value, min, max, step })]);
    const choices = CHOICES.map(([name, text, value, values]) => {
      const select = el("select", { name }, ...values.map(([one, words]) => el("option", { value: one }, words)));
      select.value = value;
      return [text, select];
    });
    const labels = [...numbers, ...choices].map(([text, input]) => el("label", {}, el("span", {}, text), input));
    return el("fieldset", {}, el("legend", {}, "Condition"), ...labels);
  }

  /* What is chosen; null, and the words for it in `wrong`, where a number is none or out of bounds. */
  function chosen(fields, wrong) {
    const at = {};
    fields.querySelectorAll("input, select").forEach((input) => {
      const good = input.checkValidity();
      at[input.name] = input.name === "handshake" ? input.value : Number(input.value);
      input.setAttribute("aria-invalid", String(!good));
      const kind = input.step === "1" ? "a whole number" : "a number";
      if (!good) wrong.push(`${input.labels[0].textContent}: ${kind} from ${input.min} to ${input.max}.`);
    });
    return wrong.length ? null : { ...at, size_bytes: bytesOfKb(at.size_kb) };
  }

  function floorsOf(at) {
    const quic = { ...QUIC, window_packets: at.quic_window, handshake_rounds: HANDSHAKE_ROUNDS[at.handshake] };
    return { quic: floor(at, quic), tcp: floor(at, { ...TCP, window_packets: at.tcp_window }) };
  }

  function floorTable(floors) {
    const rows = PARTS.map(([key, words]) => row([words, ms(floors.quic[key]), ms(floors.tcp[key])], FLOOR_HEAD));
    rows[rows.length - 1].className = "ll-row-start ll-sum";
    return el("table", { class: "ll-table" }, el("caption", { class: "ll-name" }, "Least page load time"),
      el("thead", {}, heads(FLOOR_HEAD)), el("tbody", {}, ...rows));
  }

  /* The chapter's heatmap, where it is known. */
  function figureLink(figure, pages) {
    return pages[figure] ? el("a", { href: pages[figure] }, figure) : figure;
  }

  function cellRow(cell, pages) {
    const times = (mean, transport) => number(mean === null ? null : mean / floor(cell, transport).total_ms, 2);
    return row([label(cell), figureLink(cell.figure, pages), cell.stack, number(cell.distance, 1),
      ms(cell.published_quic_ms), ms(cell.published_tcp_ms), cell.published_faster, ms(cell.measured_quic_ms),
      ms(cell.measured_tcp_ms), cell.measured_faster, times(cell.measured_quic_ms, QUIC),
      times(cell.measured_tcp_ms, TCP)], CELL_HEAD);
  }

  function cellTable(cells, pages) {
    const groups = GROUPS.map(([text, span]) =>
      (text ? el("th", { colspan: span, scope: "colgroup" }, text) : el("td", { colspan: span })));
    return el("table", { class: "ll-table ll-tight" }, el("caption", { class: "ll-name" }, "Nearest measured cells"),
      el("thead", {}, el("tr", {}, ...groups), heads(CELL_HEAD)),
      el("tbody", {}, ...cells.map((cell) => cellRow(cell, pages))));
  }

  /* The result in words, for all readers. */
  function said(at, floors, cells) {
    const loss = at.loss_pct ? " Loss does not change it." : "";
    const least = `Floor: QUIC ${ms(floors.quic.total_ms)} ms, TCP ${ms(floors.tcp.total_ms)} ms.${loss}`;
    if (!cells.length) return least + " No reference campaign is in this copy: there is nothing measured beside it.";
    const [cell] = cells;
    return `${least} Nearest measured: ${label(cell)}, ${cell.stack}, at a distance of ${number(cell.distance, 1)}: ` +
      `QUIC ${ms(cell.measured_quic_ms)} ms, TCP ${ms(cell.measured_tcp_ms)} ms, faster: ${cell.measured_faster}.`;
  }

  const NOTE = "Loss does not change the floor: a load may be lucky, and whatever is lost only adds. It counts in " +
    "the distance. Measured were QUIC with 0-RTT and TCP with its whole handshake, with their usual windows; their " +
    "floors are of that. In brackets: the difference that would have been told.";

  function show(root, data, fields) {
    const wrong = [], at = chosen(fields, wrong), places = Array.from(root.querySelectorAll(".ll-scroll"));
    places.forEach((place) => place.replaceChildren());
    const floors = at && floorsOf(at), cells = at ? nearest(data.cells, at, MOST_CELLS) : [];
    root.querySelector(".ll-result").textContent = at ? said(at, floors, cells) : wrong.join(" ");
    if (at) places[0].append(floorTable(floors));
    if (cells.length) places[1].append(cellTable(cells, data.pages));
  }

  function start() {
    const root = document.querySelector(".ll-whatif");
    if (!root) return;
    const data = JSON.parse(root.querySelector(".ll-data").textContent), fields = inputs();
    data.cells = data.cells.map((values) => Object.fromEntries(data.columns.map((name, i) => [name, values[i]])));
    const box = () => el("div", { class: "ll-scroll" });
    const result = el("p", { class: "ll-result", role: "status" });
    root.append(fields, result, box(), box(), el("p", { class: "ll-note" }, NOTE));
    let timer = null;
    fields.addEventListener("input", () => {
      clearTimeout(timer); // typing is not told letter by letter
      timer = setTimeout(() => show(root, data, fields), DELAY_MS);
    });
    show(root, data, fields);
    if (window.longlookScrolling) window.longlookScrolling(root);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
