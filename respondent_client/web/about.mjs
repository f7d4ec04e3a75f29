// Step 1: what this survey is and what it hides. The server wrote it into the page; once the specification
// has been checked the same is said again from the checked specification.

import { h } from "./dom.mjs";
import { momentText } from "./moments.mjs";
import { asked } from "./state.mjs";

const NOT_THE_BROWSER = new Set(["network", "stalled", "wasm-type"]);

export const about = {
  name: "about",
  stage: "about",
  render(context) {
    const { language, state } = context;
    const survey = state.survey;
    if (!survey) return original(context);
    return [
      survey.logo && h("p", { class: "logo" }, h("img", { src: survey.logo.image, alt: language.survey(survey.logo.alt) })),
      h("h1", { tabindex: "-1" }, language.survey(survey.title)),
      h("p", { class: "lead" }, language.survey(survey.description)),
      h("ul", { class: "statement" }, promise(context).map((line) => h("li", {}, line))),
      survey.period && period(language, survey.period),
      h("p", { class: "quiet" }, language.t("about.organizer"), " ", survey.organizer, ` (${survey.contact})`),
      h("p", { class: "actions" }, button(context)),
      h("details", { id: "more" }, h("summary", {}, language.t("about.more")), h("ul", {}, more(context).map((line) => h("li", {}, line)))),
    ];
  },
};

/** From when until when answers are taken, in her time zone. */
function period(language, moments) {
  const key = ["opens", "closes"].filter((name) => moments[name]).join("-");
  const parts = language.t(`period.${key}`).split(/\{(opens|closes)\}/);
  return h("p", { id: "period" }, parts.map((part, i) => (i % 2 ? h("time", { datetime: moments[part] }, momentText(language.numbers, moments[part])) : part)));
}

// What the server wrote, kept for the way back to it before the checks are through.
const written = [...document.getElementById("screen").children].map((node) => node.cloneNode(true));

function original(context) {
  const nodes = written.map((node) => /** @type {Element} */ (node.cloneNode(true)));
  for (const node of nodes) node.querySelector("#start")?.replaceWith(button(context));
  return nodes;
}

function button(context) {
  return h(
    "button",
    { type: "button", id: "start", class: "primary", onclick: context.next },
    context.language.t("about.start"),
  );
}

function figuresOf({ language, state: { survey } }) {
  return {
    k: language.number(survey.k),
    smallest: language.number(survey.smallest),
    details: language.list(survey.attributes.map(({ label }) => language.survey(label))),
    share: language.percent(Number(survey.participation.lowest)),
  };
}

/** What stays, what is sent, and what nobody can know: generated from the checked specification. */
function promise(context) {
  const warning = context.state.survey.invited?.election ? ["election-warning"] : [];
  return [...warning, "stay", "group", "nobody"].map((key) => context.language.t(`statement.${key}`, figuresOf(context)));
}

/** What else the survey asks, keeps and publishes. */
function more(context) {
  const { language, state: { survey } } = context;
  const figures = figuresOf(context);
  return [
    language.t("statement.half"),
    language.t("statement.asks", { ...figures, count: Object.keys(survey.questions).length }),
    survey.invited && language.t(survey.invited.election ? "statement.election" : "statement.invited", { threshold: language.number(survey.invited.threshold), shares: language.number(survey.invited.shares) }),
    survey.free_text && language.t("statement.free-text"),
    language.t(`statement.release.${survey.release_rule}`, figures),
    language.t("statement.retention", { count: survey.retention_days }),
  ].filter(Boolean);
}

/** The bar while Python loads, or why it cannot run here and what else she can do; null when all is well. */
export function loadingNote({ state, language, engine }) {
  if (state.refused) return null;
  if (engine.failed) {
    return h(
      "div",
      { class: "notice error", role: "alert" },
      h("h2", {}, language.t(NOT_THE_BROWSER.has(engine.failed) ? "lost.heading" : "failure.heading")),
      h("p", {}, language.t(`failure.${engine.failed}`)),
      h("p", {}, language.t(state.tried ? "failure.perhaps-sent" : "failure.nothing-sent")),
      h("ul", {}, ["other-browser", "other-device", "ask"].map((key) => h("li", {}, language.t(`failure.${key}`)))),
    );
  }
  if (state.unreached) return unreached({ language });
  if (asked(state) || state.lines.length > 0) return null;
  return arrival({ state, language });
}

/** The server was not reached, and is asked again before anything is refused. */
function unreached({ language }) {
  return h("p", { class: "notice warning", id: "unreached" }, language.t("checks.unreached"));
}

/** How much of Python has arrived. */
export function arrival({ state: { progress }, language }) {
  const { loaded, total } = progress;
  const arriving = loaded < total || total === 0;
  const label = arriving ? language.t("loading.arriving") : language.t("loading.starting");
  return h(
    "div",
    {},
    h("label", { for: "loading-bar", id: "loading-label" }, label),
    h("progress", { id: "loading-bar", max: String(total || 1), value: total ? loaded : null }),
  );
}
