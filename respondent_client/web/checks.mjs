// Step 2: the soundness checks as lines that can be read, and the screen of a refusal, which has no way past.

import { arrival } from "./about.mjs";
import { h, replace } from "./dom.mjs";
import { asked } from "./state.mjs";

const ON_AFTER_MS = 1500; // as long as it takes to read one line
const MARKS = { passed: "✓", refused: "✕", compare: "?", "not-applicable": "–", "not-run": "…" };

export const checks = {
  name: "checks",
  stage: "about",
  render(context) {
    const { language } = context;
    const place = h("div", { id: "checks" });
    const button = h("button", { type: "button", class: "primary", onclick: context.next }, language.t("continue"));
    // Whoever does anything here wants to look; whoever has come back has seen it move on before.
    let stays = context.state.furthest > context.state.step;
    const stay = () => { stays = true; };
    const update = () => {
      const { state } = context;
      button.disabled = context.engine.failed || !asked(state);
      if (context.engine.failed) return replace(place); // the page says why below
      if (state.compare && !state.survey) return replace(place, comparison(context), state.lines.length > 0 && lines(context, false));
      if (asked(state) && !state.sound) replace(place, looked(context));
      else replace(place, h("p", {}, language.t("checks.why")), standing(context), state.sound && details(context));
      if (asked(state)) setTimeout(() => { if (!stays && !button.disabled && context.live === update) context.next(); }, ON_AFTER_MS);
    };
    context.live = update;
    update();
    return h(
      "div",
      { onkeydown: stay, onpointerdown: stay },
      h("h1", { tabindex: "-1" }, language.t("checks.heading")),
      place,
      h(
        "p",
        { class: "actions" },
        button,
        h("button", { type: "button", onclick: context.back }, language.t("back")),
      ),
    );
  },
};

/** What is known before the checks have ended; the rest of them goes on while she answers. */
function looked({ language }) {
  return h("p", { class: "notice good", role: "status", id: "looked" }, language.t("checks.looked"));
}

/** How far the checks are, or that all have passed. */
export function standing(context) {
  const { language, state: { sound, survey, asked: early, lines: all, notice } } = context;
  if (!sound && !survey) return h("div", { class: "notice" }, early ? arrival(context) : h("p", {}, language.t("checks.running")));
  if (!sound) {
    return h(
      "div",
      { class: "notice" },
      h("p", {}, language.t("checks.recounting")),
      notice?.total && h("progress", { max: notice.total, value: notice.done, "aria-label": language.t("checks.recounting") }),
    );
  }
  const passed = all.filter(({ outcome }) => outcome === "passed").length;
  return h(
    "div",
    { class: "notice good", role: "status", id: "sound" },
    h("p", {}, h("strong", {}, language.t("checks.sound", { count: passed }))),
  );
}

/** The promise with its condition, and what is left of it should only half as many take part. */
function promise(language, { survey, lines: all }) {
  const lowest = Number(survey.participation.lowest);
  const { half_unprotected: half } = all.find(({ code }) => code === "check.cell-failure").figures;
  return {
    k: language.number(survey.k),
    chance: language.oneIn(survey.acceptable_cell_failure),
    share: language.percent(lowest),
    half_share: language.percent(lowest / 2),
    half: language.oneIn(half),
  };
}

function details(context) {
  const { language, state } = context;
  return h(
    "details",
    {},
    h("summary", {}, language.t("checks.details")),
    h("p", { id: "promise" }, language.t("checks.promise", promise(language, state))),
    lines(context, true),
  );
}

function lines({ language, state }, withFigures) {
  return h(
    "ol",
    { class: "checks" },
    state.lines.map((line) =>
      h(
        "li",
        { class: line.outcome, "data-code": line.code, "data-outcome": line.outcome },
        h("span", { class: "mark", "aria-hidden": "true" }, MARKS[line.outcome]),
        h(
          "div",
          {},
          h("strong", {}, language.t(`${line.code}.name`)),
          h("span", { class: "visually-hidden" }, ` (${language.t(`outcome.${line.outcome}`)})`),
          withFigures && h("p", {}, sentence(language, line)),
        ),
      ),
    ),
  );
}

const CHANCES = new Set(["failure", "worst_failure", "table_failure", "worst_unprotected", "half_unprotected"]);

function sentence(language, { code, outcome, figures }) {
  const words = {};
  for (const [name, value] of Object.entries(figures)) {
    words[name] = CHANCES.has(name) ? language.oneIn(value) : value.split(", ").map((part) => language.number(part)).join(" / ");
  }
  const variant = figures.override ? "override" : figures.kind;
  const keys = [`${code}.${outcome}.${variant}`, `${code}.${outcome}`, `outcome.${outcome}`];
  return language.t(keys.find((key) => language.has(key)), words);
}

/** Words to compare with those on paper. */
export function digestWordsOf(words) {
  return h("p", { class: "words", lang: "zxx", translate: "no" }, words.split("-").map((word) => [h("span", {}, word), " "]));
}

/** A link without the digest or key: the invitation's words have to be compared by the person. */
function comparison(context) {
  const { language, state } = context;
  return h(
    "div",
    { class: "notice" },
    h("h2", {}, language.t("compare.heading")),
    h("p", {}, language.t("compare.text")),
    digestWordsOf(state.words),
    h(
      "p",
      { class: "actions" },
      h(
        "button",
        { type: "button", id: "words-match", onclick: context.confirmWords },
        language.t("compare.match"),
      ),
      h(
        "button",
        { type: "button", id: "words-differ", onclick: () => context.refuse({ code: "compare.differ" }) },
        language.t("compare.differ"),
      ),
    ),
    h("p", { class: "hint" }, language.t("compare.none")),
  );
}

/** One clear sentence, what it means, whom to tell. There is no button. */
export const refusal = {
  name: "refusal",
  stage: "about",
  render(context) {
    const { language, state } = context;
    const { code, error } = state.refused;
    const key = language.has(`refused.${code}`) ? code : "other";
    const detail = error && [error.where, error.message, error.expected && `(${error.expected})`].filter(Boolean).join(" ");
    return [
      h(
        "div",
        { class: "notice error", role: "alert", id: "refusal", "data-code": code },
        h("h1", { tabindex: "-1" }, language.t(`refused.${key}`)),
        h("p", {}, language.t(language.has(`meaning.${code}`) ? `meaning.${code}` : "meaning.other")),
        h("p", {}, language.t("refused.nothing")),
      ),
      h("h2", {}, language.t("refused.tell.heading")),
      h("p", {}, language.t("refused.tell", { code })),
      detail && h("details", {}, h("summary", {}, language.t("refused.detail")), h("p", { lang: "en", dir: "ltr", class: "detail" }, `${code}: ${detail}`)),
      state.lines.length > 0 &&
        h("details", {}, h("summary", {}, language.t("checks.details")), lines(context, false)),
    ];
  },
};
