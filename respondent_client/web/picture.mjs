// The groups as dots over two attributes, hers marked, with herself in it. Drawn by DOM calls on her device
// from the specification and her own answers, which leave the worker only for this page.

import { h, s } from "./dom.mjs";

const MARGIN = { start: 92, end: 16, top: 16, bottom: 64 };
const NARROW = 480;
const [LETTER, LINE] = [9, 20]; // room for a letter of a name, and from one name to the next

export function drawPicture(picture, language) {
  const { across, up, groups, own, me, region } = picture;
  const narrow = document.documentElement.clientWidth < NARROW; // so that its texts stay readable on a telephone
  const [WIDTH, HEIGHT] = narrow ? [360, 380] : [640, 460];
  const plot = { width: WIDTH - MARGIN.start - MARGIN.end, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const x = scale(across, MARGIN.start, MARGIN.start + plot.width);
  const y = scale(up, MARGIN.top + plot.height, MARGIN.top);
  const largest = Math.max(...groups.map(([, , people]) => people), own.people);
  const radius = (people) => 2.5 + 6 * Math.sqrt(people / largest);
  const name = language.t("picture.alt", {
    count: own.people,
    at_least: own.at_least,
    across: language.survey(across.label),
    up: language.survey(up.label),
  });
  const svg = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": name, direction: "ltr" },
    s("rect", { class: "plot", x: MARGIN.start, y: MARGIN.top, width: plot.width, height: plot.height }),
    region && area(region, x, y, plot),
    ticks(across, x, (at, text) => [
      s("line", { class: "grid", x1: at, x2: at, y1: MARGIN.top, y2: MARGIN.top + plot.height }),
      s("text", { x: at, y: MARGIN.top + plot.height + 20, "text-anchor": "middle" }, text),
    ], language),
    ticks(up, y, (at, text) => [
      s("line", { class: "grid", x1: MARGIN.start, x2: MARGIN.start + plot.width, y1: at, y2: at }),
      s("text", { x: MARGIN.start - 8, y: at + 5, "text-anchor": "end" }, text),
    ], language),
    s("text", { class: "axis", x: MARGIN.start + plot.width / 2, y: HEIGHT - 14, "text-anchor": "middle" }, language.survey(across.label)),
    s("text", { class: "axis", x: -(MARGIN.top + plot.height / 2), y: 18, transform: "rotate(-90)", "text-anchor": "middle" }, language.survey(up.label)),
    groups.map(([gx, gy, people]) => s("circle", { class: "other", cx: x(gx), cy: y(gy), r: radius(people) })),
    named(picture, x, y, plot, language),
    s("circle", { class: "own", cx: x(own.x), cy: y(own.y), r: radius(own.people) + 3 }),
    s("path", { class: "me", d: star(x(me.x), y(me.y), 11) }),
  );
  return [
    svg,
    h(
      "figcaption",
      {},
      h(
        "ul",
        { class: "legend" },
        legend("me", language.t("picture.me")),
        legend("own", language.t("picture.own", { count: own.people, at_least: own.at_least })),
        region && legend("region", language.t("picture.region")),
        legend("other", language.t("picture.other", { count: picture.shown })),
      ),
      picture.shown < picture.total - 1 && h("p", { class: "hint" }, language.t("picture.nearest", { count: picture.shown, total: language.number(picture.total) })),
    ),
  ];
}

/** Names of regions on a map, those nearest to her first, none over another or over what is hers. */
function named({ places, me, own }, x, y, plot, language) {
  const taken = [me, own].map((mark) => ({ half: LINE / 2, at: x(mark.x), below: y(mark.y) }));
  const spots = places.map(({ x: px, y: py, text }) => {
    const words = language.survey(text);
    const half = (words.length * LETTER) / 2;
    const [left, right] = [MARGIN.start + half, MARGIN.start + plot.width - half];
    return { words, half, at: Math.max(left, Math.min(right, x(px))), below: y(py), far: Math.hypot(x(px) - x(me.x), y(py) - y(me.y)) };
  });
  return spots.sort((a, b) => a.far - b.far).map(({ words, half, at, below }) => {
    const free = (place) => taken.every((other) => Math.abs(other.at - at) >= other.half + half || Math.abs(other.below - place) >= LINE);
    const place = [below, below - LINE, below + LINE].find(free);
    if (place === undefined || half * 2 > plot.width) return null;
    taken.push({ half, at, below: place });
    return s("text", { class: "place", x: at, y: place + 5, "text-anchor": "middle" }, words);
  });
}

function scale({ low, high }, from, to) {
  const span = high - low || 1;
  const inset = (to - from) * 0.04;
  return (value) => from + inset + ((value - low) / span) * (to - from - 2 * inset);
}

/** The answers that would lead to the same group if the other answers stayed as they are. */
function area({ columns, rows, inside }, x, y, plot) {
  const across = (place) => Math.max(MARGIN.start, Math.min(MARGIN.start + plot.width, x(place)));
  const up = (place) => Math.max(MARGIN.top, Math.min(MARGIN.top + plot.height, y(place)));
  const [sides, ends] = [edges(columns), edges(rows)];
  const rects = inside.map(([i, j]) => {
    const [left, right] = [across(sides[i]), across(sides[i + 1])];
    const [low, high] = [up(ends[j]), up(ends[j + 1])];
    return s("rect", { x: left, y: high, width: right - left + 0.3, height: low - high + 0.3 });
  });
  return s("g", { class: "region" }, rects);
}

/** Halfway between neighbours; the outermost as wide as the next. */
function edges(places) {
  const inner = places.slice(1).map((place, i) => (place + places[i]) / 2);
  const first = places.length > 1 ? places[0] - (inner[0] - places[0]) : places[0] - 0.5;
  const last = places.length > 1 ? places.at(-1) + (places.at(-1) - inner.at(-1)) : places[0] + 0.5;
  return [first, ...inner, last];
}

function ticks({ ticks: list }, position, draw, language) {
  return list.map(({ at, text }) => {
    const words = typeof text === "string" ? language.number(text) : language.survey(text);
    return draw(position(at), words.length > 11 ? `${words.slice(0, 10)}…` : words);
  });
}

function star(x, y, size) {
  const points = Array.from({ length: 10 }, (_, i) => {
    const radius = i % 2 ? size * 0.45 : size;
    const angle = (Math.PI / 5) * i - Math.PI / 2;
    return `${(x + radius * Math.cos(angle)).toFixed(1)},${(y + radius * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

function legend(kind, text) {
  const mark =
    kind === "me"
      ? s("path", { class: "me", d: star(12, 12, 9) })
      : kind === "region"
        ? s("g", { class: "region" }, s("rect", { x: 3, y: 3, width: 18, height: 18 }))
        : s("circle", { class: kind, cx: 12, cy: 12, r: kind === "own" ? 7 : 4 });
  return h("li", {}, s("svg", { viewBox: "0 0 24 24", class: "key", "aria-hidden": "true" }, mark), h("span", {}, text));
}
