// The step machine of the respondent's page. What she enters lives in the state and in the worker, nowhere else:
// no storage (but see kept.mjs for the token of an invited survey), no address, no title; the browser's history
// holds only the number of a step.

import { about, loadingNote } from "./about.mjs";
import { checks, refusal } from "./checks.mjs";
import { h, replace } from "./dom.mjs";
import { lookEarly } from "./early.mjs";
import { Engine } from "./engine.mjs";
import { forgetFault, watchFaults } from "./fault.mjs";
import { isDamaged, pinned, reopen, takeFragment } from "./fragment.mjs";
import { group } from "./group.mjs";
import { beginInvitation, invitation } from "./invitation.mjs";
import { keepsOnDevice, wipe } from "./kept.mjs";
import { chooseLanguage } from "./language.mjs";
import { otherLink } from "./other_link.mjs";
import { showOthers } from "./others.mjs";
import { LOST, loadQuestionnaire, questionPages } from "./questions.mjs";
import { part } from "./part.mjs";
import { receipt } from "./receipt.mjs";
import { review } from "./review.mjs";
import { fieldsOf } from "./runtime.mjs"; // written by build.py
import { holds, initial, reduce } from "./state.mjs";
import { stopWaiting } from "./waiting.mjs";
import { you } from "./you.mjs";

const page = document.getElementById("main");
const screen = document.getElementById("screen");
const loading = document.getElementById("loading");
const PAUSES_MS = [2000, 5000, 10_000]; // before what did not arrive is asked for again
// What she does, and is told of as steps. In an election a code is exchanged for her own group, which is found before.
const STAGES = { open: ["about", "you", "group", "questions", "review"], invited: ["about", "invitation", "you", "group", "questions", "review"], election: ["about", "you", "group", "invitation", "questions", "review"] };

const state = initial(); // the one object that screens hold; only `tell` changes it

/** @param {{ type: string, [detail: string]: any }} event */
function tell(event) {
  Object.assign(state, reduce(state, event));
}

/** Tell what happened in the background, whatever screen shows it. */
function hear(event) {
  tell(event);
  showLoading();
  context.live?.();
}

const context = {
  state,
  tell,
  language: null,
  engine: new Engine({
    progress: (progress) => { tell({ type: "progress", progress }); showLoading(); },
    ready: () => { showLoading(); check(); },
    failed: (failure) => hear({ type: "failed", failure }),
    notice: (notice) => hear({ type: "notice", notice }),
  }),
  live: null, // called when something a screen shows changed in the background
  next: () => go(state.step + 1 + screens().slice(state.step + 1).findIndex(({ skipped }) => !skipped?.())),
  back: () => (state.step > 0 ? history.back() : undefined),
  changed: () => tell({ type: "changed" }),
  render: () => show(state.step, { focus: false }),
  refresh: (screen = null) => (!screen || screens()[state.step] === screen ? show(state.step) : undefined),
  refuse: (refused) => { tell({ type: "refused", refused }); show(state.step); },
  changeAnswer: (page) => go(screens().findIndex(({ name }) => name === `questions-${page}`)),
  startOver,
  confirmWords,
  loadQuestions,
};

/** All screens in order; the questionnaire has as many as it has pages. */
function screens() {
  const own = [you, part(state), group];
  const way = { open: own, invited: [invitation, ...own], election: [...own, invitation] };
  return [about, checks, ...way[kind()], ...questionPages(context), review, receipt];
}

/** Before the checks the page itself says so; after them the signed specification does. */
function isInvited() {
  return state.survey ? state.survey.invited !== null : "invited" in page.dataset;
}

/** @returns {"open" | "invited" | "election"} */
function kind() {
  if (state.survey?.invited?.election) return "election";
  return isInvited() ? "invited" : "open";
}

function go(step) {
  tell({ type: "ahead", step });
  history.pushState({ step }, "");
  show(step);
}

function show(step, { focus = true } = {}) {
  const all = screens();
  const last = all.length - 1;
  tell({ type: "went", step: state.receipt ? last : Math.min(step, state.furthest, last) });
  const screenOf = state.refused ? refusal : all[state.step];
  const current = state.other === null ? screenOf : otherLink(screenOf);
  if (current !== review) stopWaiting(context);
  context.live = null;
  replace(screen, current.render(context));
  forgetFault();
  indicate(current);
  showLoading();
  mentionOthers();
  const heading = screen.querySelector("h1");
  const title = context.language.survey(state.survey?.title ?? {}) || document.getElementById("survey-title").textContent;
  document.title = state.step === 0 ? title : `${whereabouts(current).label} – ${title}`;
  if (focus) {
    /** @type {HTMLElement} */ (screen.querySelector("#error-summary") ?? heading).focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
}

/**
 * The step that a screen belongs to, and how it is called. It is the title too, which browsers keep in their history and
 * copy to other devices: headings tell how many are in her group, and of a page with a condition what she has answered.
 */
function whereabouts(current) {
  const { language } = context;
  const stages = STAGES[kind()];
  const done = current.stage === "receipt";
  const number = done ? stages.length + 1 : stages.indexOf(current.stage) + 1;
  const figures = { number: language.number(number), total: language.number(stages.length) };
  return { stages, number, figures, label: language.t(done ? "indicator.done" : "indicator", figures) };
}

function indicate(current) {
  const { language } = context;
  const { stages, number, figures, label: step } = whereabouts(current);
  const asked = screens().filter(({ page, skipped }) => page && !skipped()); // by what she has answered until now
  const label = current.page && asked.length > 1
    ? language.t("indicator.page", { ...figures, page: language.number(asked.findIndex(({ page }) => page === current.page) + 1), pages: language.number(asked.length) })
    : step;
  replace(
    document.getElementById("indicator"),
    h("p", { class: "step" }, label),
    h(
      "ol",
      { class: "dots", "aria-hidden": "true" },
      stages.map((_, i) => h("li", { class: i + 1 < number ? "done" : i + 1 === number ? "now" : null })),
    ),
  );
}

function mentionOthers() {
  showOthers({ ...context, ends: state.other === null && (state.step === 0 || state.receipt !== null) });
}

function showLoading() {
  const note = loadingNote(context);
  loading.hidden = note === null;
  replace(loading, note);
}

const link = () => ({ base: new URL(page.dataset.base, location.href).href, survey: page.dataset.id, fragment: state.fragment });
let look = null; // at the specification, while Python is on its way

/** The first look begins with the page, so that "About you" need not wait for Python. */
async function lookFirst() {
  const { fetched, asked } = await lookEarly(link(), fieldsOf);
  if (asked && !isInvited() && state.lines.length === 0 && !state.refused) {
    tell({ type: "looked", asked });
    context.live?.();
  }
  return fetched;
}

/** The checks begin as soon as Python runs, wherever she is reading. */
async function check() {
  const fetched = await look;
  await examine("open", { ...link(), fetched });
}

/** One step of the checks; the recount of a public model follows by itself, while she is filling in. */
async function examine(step, given, pauses = PAUSES_MS) {
  try {
    tell({ type: "examined", found: await context.engine.ask(step, given) });
  } catch (error) {
    if (error.code === "remote.unreachable" && pauses.length > 0) {
      hear({ type: "unreached" });
      await new Promise((resolve) => setTimeout(resolve, pauses[0]));
      hear({ type: "asks" });
      return examine(step, given, pauses.slice(1));
    }
    tell({ type: "refused", refused: { code: error.code ?? "internal", error } });
  }
  if (state.refused) return show(state.step);
  if (state.compare && state.compared) {
    return state.compared === state.words ? examine("confirm_words") : context.refuse({ code: "compare.differ" });
  }
  showLoading();
  context.live?.();
  if (!state.survey) return;
  const questions = loadQuestions();
  if (!state.sound && state.survey.in_parts) return questions; // the part of her district is fetched once it is known
  if (!state.sound) return examine("recount");
  if (state.survey.invited && !state.invitation) {
    await beginInvitation(context);
    tell({ type: "linked", fragment: pinned(state.fragment) });
    context.refresh(invitation);
  }
  await questions;
}

/** She found the words to be those of her invitation, perhaps before Python is there. */
function confirmWords() {
  if (!state.compare) return; // pressed twice
  tell({ type: "compared" });
  context.live?.();
  if (state.lines.length > 0) examine("confirm_words");
}

const inQuestions = () => screens()[state.step].stage === "questions";

async function loadQuestions() {
  const retried = state.questionsLost;
  tell({ type: "questions", lost: false });
  if (retried && inQuestions()) show(state.step, { focus: false });
  let problem = null;
  try {
    await loadQuestionnaire(context);
  } catch (error) {
    problem = error;
    tell({ type: "questions", lost: true });
  }
  if (inQuestions()) show(state.step, { focus: false });
  if (problem && problem.message !== LOST) throw problem; // nobody has foreseen it
}

let chosen = null; // the language that she wants last; the texts of another may come later

async function switchLanguage(code) {
  chosen = code;
  const language = await chooseLanguage(code);
  if (chosen !== code) return;
  context.language = language;
  document.documentElement.lang = code;
  document.documentElement.dir = language.direction;
  document.getElementById("skip").textContent = language.t("skip");
  const trial = document.getElementById("trial");
  if (trial) trial.textContent = language.t(`trial.${trial.dataset.trial}`);
  document.getElementById("build-label").textContent = language.t("about.build");
  const titles = state.survey?.title ?? JSON.parse(page.dataset.titles ?? "{}");
  if (titles[code]) document.getElementById("survey-title").textContent = titles[code];
  for (const link of document.querySelectorAll("#languages [data-language]")) {
    if (link.getAttribute("data-language") === code) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  if (!state.survey || !inQuestions()) show(state.step, { focus: false }); // questions are drawn when they are there
  if (state.survey) await loadQuestions();
}

/** Wipe: the page and the worker with everything in them are thrown away and loaded again. */
function startOver() {
  tell({ type: "leaving" });
  wipe();
  history.replaceState({ step: 0 }, "");
  location.reload();
}

/** Another link in the same tab, or this one once more. */
function anotherLink() {
  const own = pinned(state.fragment);
  const fragment = takeFragment({ step: state.step, shown: own });
  if (fragment === own) return;
  if (!holds(state, keepsOnDevice()) && !state.receipt) return reopen(fragment);
  tell({ type: "other", fragment });
  show(state.step);
}

function listen() {
  window.addEventListener("popstate", (event) => {
    if (!event.state) return; // no step of ours but another fragment, which "hashchange" looks at
    if (state.sending && event.state.step < state.step) history.forward(); // it is on its way, and cannot be changed
    else show(event.state.step);
  });
  window.addEventListener("beforeunload", (event) => {
    if (holds(state, keepsOnDevice()) && !state.leaving) event.preventDefault();
  });
  window.addEventListener("hashchange", anotherLink);
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted || state.receipt) return; // a receipt may be all that she has
    tell({ type: "leaving" });
    location.reload(); // whoever goes back to a page that was left must not find the answers
  });
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    page.focus();
  });
  document.getElementById("languages")?.addEventListener("click", (event) => {
    const link = /** @type {HTMLAnchorElement} */ (/** @type {Element} */ (event.target).closest("[data-language]"));
    if (!link) return;
    if (!state.survey && state.step === 0) {
      link.hash = state.fragment; // the server has this page in every language
      return;
    }
    event.preventDefault();
    switchLanguage(link.dataset.language);
  });
  let pressed = state.step;
  document.addEventListener("click", (event) => {
    if (event.detail < 2) pressed = state.step;
    else if (state.step !== pressed) { // the rest of a double click, whose screen is gone: it must not skip this one, or send
      event.preventDefault();
      event.stopPropagation();
    }
  }, true);
  document.addEventListener("keydown", (event) => {
    const field = /** @type {Element} */ (event.target);
    if (event.key !== "Enter" || event.repeat || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (field.closest("a, button, summary, textarea, select, [role=button], [role=option], [role=listbox]")) return;
    if (field.closest("[aria-expanded=true]")) return;
    event.preventDefault();
    /** @type {HTMLButtonElement} */ (document.querySelector("#screen button.primary:not([disabled])"))?.click();
  });
}

export async function main(fragment) {
  watchFaults(context);
  tell({ type: "linked", fragment });
  context.language = await chooseLanguage(page.dataset.language);
  listen();
  if (isDamaged(fragment)) { // known before Python is there, and no page is better for waiting
    tell({ type: "refused", refused: { code: "verification.invitation" } });
    return show(0);
  }
  const start = /** @type {HTMLButtonElement} */ (document.getElementById("start"));
  start.addEventListener("click", context.next);
  start.disabled = false;
  indicate(about);
  showLoading();
  mentionOthers();
  look = lookFirst();
  context.engine.start();
}
