"use strict";
// Draws the cells over two chosen axes from the integers in #page-data. Nothing is loaded or sent.
(() => {
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const picture = document.getElementById("map-picture");
  const selects = ["map-x", "map-y"].map((id) => document.getElementById(id));
  const NOWHERE = -(2 ** 53 - 1);
  const make = (name, attributes, parent, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  };
  const short = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

  // Cells of one category share a band; they are spread inside it, always in the same way.
  const spread = (axis, index, ratio) => (axis.bands ? (((index * ratio) % 1) - 0.5) * 720 : 0);

  function draw() {
    const narrow = picture.clientWidth < 520;
    const width = narrow ? 360 : 680, height = narrow ? 380 : 480;
    const x = data.axes[selects[0].value], y = data.axes[selects[1].value];
    const longest = Math.max(...y.ticks.map((tick) => Math.min(tick[1].length, narrow ? 9 : 18)));
    const box = { left: 34 + longest * 7.2, right: width - 14, top: 14, bottom: height - 62 };
    const room = x.bands ? (box.right - box.left) / x.ticks.length : 72;
    const every = x.bands ? Math.max(1, Math.ceil(24 / room)) : 1;
    const widest = Math.min(14, Math.max(...x.ticks.map((tick) => tick[1].length)));
    const slanted = x.bands && widest * 7.8 > room;
    if (slanted) box.bottom -= widest * 4.4;
    const scale = (axis, from, to) => {
      const margin = axis.bands ? 0 : (axis.high - axis.low) * 0.03;
      const low = axis.low - margin, high = axis.high + margin;
      return (value) => from + ((value - low) / (high - low)) * (to - from);
    };
    const left = scale(x, box.left, box.right), up = scale(y, box.bottom, box.top);
    const drawn = data.cells
      .map((cell, index) => ({ cell, index, a: cell[2 + Number(selects[0].value)], b: cell[2 + Number(selects[1].value)] }))
      .filter((item) => item.a !== NOWHERE && item.b !== NOWHERE)
      .sort((one, two) => two.cell[0] - one.cell[0] || one.index - two.index);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `Map of ${drawn.length} cells. From left to right: ${x.label}. From bottom to top: ${y.label}.`);

    x.ticks.forEach(([position, text], number) => {
      const at = left(position);
      make("line", { class: "grid", x1: at, x2: at, y1: box.top, y2: box.bottom }, svg);
      if (number % every) return;
      const turn = slanted ? `rotate(-35 ${at} ${box.bottom + 16})` : "";
      make("text", { x: at, y: box.bottom + 18, "text-anchor": slanted ? "end" : "middle", transform: turn }, svg,
        short(text, 14));
    });
    y.ticks.forEach(([position, text]) => {
      const at = up(position);
      make("line", { class: "grid", x1: box.left, x2: box.right, y1: at, y2: at }, svg);
      make("text", { x: box.left - 7, y: at + 4, "text-anchor": "end" }, svg, short(text, narrow ? 9 : 18));
    });
    make("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }, svg);
    make("text", { x: (box.left + box.right) / 2, y: height - 8, "text-anchor": "middle" }, svg, x.label);
    const middle = (box.top + box.bottom) / 2;
    make("text", { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, svg, y.label);

    // Tuples of a public model, once for each place; in bands they would say nothing.
    const places = new Set();
    if (!x.bands && !y.bands) for (const point of data.people) places.add(`${point[selects[0].value]} ${point[selects[1].value]}`);
    for (const place of places) {
      const [a, b] = place.split(" ").map(Number);
      if (a !== NOWHERE && b !== NOWHERE) make("circle", { class: "person", r: 1.3, cx: left(a).toFixed(2), cy: up(b).toFixed(2) }, svg);
    }
    const largest = Math.max(...data.cells.map((cell) => cell[0]));
    const radius = Math.min(17, Math.max(3.5, (narrow ? 75 : 120) / Math.sqrt(data.cells.length)));
    drawn.forEach(({ cell, index, a, b }) => {
      const circle = make("circle", {
        class: `cell step-${cell[1]}`,
        r: Math.max(1.6, radius * Math.sqrt(cell[0] / largest)).toFixed(2),
        cx: left(a + spread(x, index, 0.618034)).toFixed(2),
        cy: up(b + spread(y, index, 0.754878)).toFixed(2),
      }, svg);
      make("title", {}, circle, `Cell ${index}: ${cell[0]} people`);
    });
    picture.replaceChildren(svg);
  }

  data.axes.forEach((axis, number) => {
    selects.forEach((select) => select.add(new Option(axis.label, String(number))));
  });
  // Begin with two continuous axes if there are two.
  const order = data.axes.map((axis, number) => number).sort((a, b) => data.axes[a].bands - data.axes[b].bands || a - b);
  selects.forEach((select, number) => { select.value = String(order[Math.min(number, order.length - 1)]); });
  selects.forEach((select) => select.addEventListener("change", draw));
  document.getElementById("map-choices").hidden = false;
  let narrow = picture.clientWidth < 520;
  window.addEventListener("resize", () => {
    if (picture.clientWidth < 520 !== narrow) {
      narrow = !narrow;
      draw();
    }
  });
  draw();
})();
