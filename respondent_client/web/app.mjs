// The step machine of the respondent's page. What she enters lives in `state` and in the worker, nowhere else:
// no storage (but see kept.mjs for the token of an invited survey), no address, no title; the browser's history
// holds only the number of a step.

import { about, loadingNote } from "./about.mjs";
import { checks, refusal } from "./checks.mjs";
import { h, replace } from "./dom.mjs";
import { Engine } from "./engine.mjs";
import { forgetFault, watchFaults } from "./fault.mjs";
import { isDamaged, pinned, reopen, takeFragment } from "./fragment.mjs";
import { group } from "./group.mjs";
import { beginInvitation, invitation } from "./invitation.mjs";
import { keepsOnDevice, wipe } from "./kept.mjs";
import { chooseLanguage } from "./language.mjs";
import { otherLink } from "./other_link.mjs";
import { showOthers } from "./others.mjs";
import { loadQuestionnaire, questionPages } from "./questions.mjs";
import { receipt } from "./receipt.mjs";
import { review } from "./review.mjs";
import { stopWaiting } from "./waiting.mjs";
import { you } from "./you.mjs";

const page = document.getElementById("main");
const screen = document.getElementById("screen");
const loading = document.getElementById("loading");
const STAGES = ["about", "invitation", "you", "group", "questions", "review"]; // what she does, and is told of as steps

const state = {
  step: 0,
  furthest: 0,
  progress: { loaded: 0, total: 0 },
  failure: null, // why Python cannot run here
  survey: null, // what the checks let through
  lines: [], // the checks
  refused: null,
  fragment: "", // of the link, with code and token, which have left the address
  other: null, // fragment of another link that was opened meanwhile
  invitation: null, // of an invited survey: code, token, what is under way
  quasi: Object.create(null), // name -> what she typed, or null for "prefer not to say"
  room: null,
  answers: Object.create(null), // as typed or chosen, by question
  accepted: new Map(), // question -> what was typed, and as what it passed
  message: null,
  when: "now", // an invited survey: or at a "random" moment
  waiting: null, // until that moment
  sending: false, // whether it is on its way just now
  tried: false, // whether it was ever on its way
  problem: null, // why it could not be sent
  receipt: null,
};

const context = {
  state,
  language: null,
  engine: new Engine({
    progress: (progress) => { state.progress = progress; showLoading(); },
    ready: () => { showLoading(); check(); },
    failed: (failure) => { state.failure = failure; showLoading(); context.live?.(); },
    notice: (notice) => { state.notice = notice; context.live?.(); },
  }),
  live: null, // called when something a screen shows changed in the background
  next: () => go(state.step + 1 + screens().slice(state.step + 1).findIndex(({ skipped }) => !skipped?.())),
  back: () => (state.step > 0 ? history.back() : undefined),
  changed: () => { state.furthest = state.step; }, // later steps depend on what was changed
  render: () => show(state.step, { focus: false }),
  refresh: () => show(state.step),
  refuse: (refused) => { state.refused = refused; show(state.step); },
  changeAnswer: (page) => go(screens().findIndex(({ name }) => name === `questions-${page}`)),
  startOver,
  checked: afterChecks,
  loadQuestions,
};

/** All screens in order; the questionnaire has as many as it has pages. */
function screens() {
  return [about, checks, ...(isInvited() ? [invitation] : []), you, group, ...questionPages(context), review, receipt];
}

/** Before the checks the page itself says so; after them the signed specification does. */
function isInvited() {
  return state.survey ? state.survey.invited !== null : "invited" in page.dataset;
}

function go(step) {
  state.furthest = Math.max(state.furthest, step);
  history.pushState({ step }, "");
  show(step);
}

function show(step, { focus = true } = {}) {
  const all = screens();
  const before = all[state.step];
  state.step = state.receipt ? all.length - 1 : Math.min(step, state.furthest, all.length - 1);
  const screenOf = state.refused ? refusal : all[state.step];
  const current = state.other === null ? screenOf : otherLink(screenOf);
  if (current !== review) stopWaiting(state);
  if (before === review && current !== review) state.problem = null;
  context.live = null;
  replace(screen, current.render(context));
  forgetFault();
  indicate(current);
  showLoading();
  mentionOthers();
  const heading = screen.querySelector("h1");
  const title = context.language.survey(state.survey?.title ?? {}) || document.getElementById("survey-title").textContent;
  document.title = state.step === 0 ? title : `${heading.textContent} – ${title}`;
  if (focus) {
    heading.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
}

function indicate(current) {
  const { language } = context;
  const stages = STAGES.filter((name) => name !== "invitation" || isInvited());
  const done = current.stage === "receipt";
  const number = done ? stages.length + 1 : stages.indexOf(current.stage) + 1;
  const figures = { number: language.number(number), total: language.number(stages.length) };
  const pages = state.survey?.question_pages ?? 1;
  const label = done ? language.t("indicator.done") : current.page && pages > 1
    ? language.t("indicator.page", { ...figures, page: language.number(current.page), pages: language.number(pages) })
    : language.t("indicator", figures);
  replace(
    document.getElementById("indicator"),
    h("p", { class: "step" }, label),
    h(
      "ol",
      { class: "dots", "aria-hidden": "true" },
      stages.map((name, i) => h("li", { class: i + 1 < number ? "done" : i + 1 === number ? "now" : null })),
    ),
  );
}

function mentionOthers() {
  showOthers({ ...context, ends: state.other === null && (state.step === 0 || state.receipt !== null) });
}

function showLoading() {
  const note = loadingNote(context);
  loading.hidden = note === null;
  if (note) replace(loading, note);
}

/** The checks begin as soon as Python runs, wherever she is reading. */
async function check() {
  try {
    const examined = await context.engine.ask("open", {
      base: new URL(page.dataset.base, location.href).href,
      survey: page.dataset.id,
      fragment: state.fragment,
    });
    Object.assign(state, examined);
  } catch (error) {
    state.refused = { code: error.code ?? "internal", error };
  }
  await afterChecks();
}

async function afterChecks() {
  if (state.refused) return show(state.step);
  showLoading();
  context.live?.();
  if (state.survey?.invited && !state.invitation) {
    await beginInvitation(context);
    state.fragment = pinned(state.fragment);
    if (screens()[state.step] === invitation) context.refresh();
  }
  if (state.survey) await loadQuestions();
}

async function loadQuestions() {
  const waiting = state.questionsLost;
  state.questionsLost = false;
  try {
    await loadQuestionnaire(context);
  } catch {
    state.questionsLost = true;
  }
  if (waiting || screens()[state.step].stage === "questions") show(state.step, { focus: false });
}

async function switchLanguage(code) {
  try {
    context.language = await chooseLanguage(code);
  } catch {
    return;
  }
  const { language } = context;
  document.documentElement.lang = code;
  document.documentElement.dir = language.direction;
  document.getElementById("skip").textContent = language.t("skip");
  document.getElementById("build-label").textContent = language.t("about.build");
  const titles = state.survey?.title ?? JSON.parse(page.dataset.titles ?? "{}");
  if (titles[code]) document.getElementById("survey-title").textContent = titles[code];
  for (const link of document.querySelectorAll("[data-language]")) {
    if (link.dataset.language === code) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  if (state.survey) await loadQuestions();
  show(state.step, { focus: false });
}

/** Wipe: the page and the worker with everything in them are thrown away and loaded again. */
function startOver() {
  state.leaving = true;
  wipe();
  history.replaceState({ step: 0 }, "");
  location.reload();
}

function entered() {
  const { token, saved, pending } = state.invitation ?? {};
  const asked = !keepsOnDevice() && ((token && !saved) || pending); // in this tab alone, and the code may be spent
  return !state.receipt && (asked || Object.keys(state.quasi).length > 0 || Object.keys(state.answers).length > 0);
}

/** Another link in the same tab, or this one once more. */
function anotherLink() {
  const own = pinned(state.fragment);
  const fragment = takeFragment({ step: state.step, shown: own });
  if (fragment === own) return;
  if (!entered() && !state.receipt) return reopen(fragment);
  state.other = fragment;
  show(state.step);
}

function listen() {
  // Without a state it is no step of ours but another fragment, which "hashchange" looks at.
  window.addEventListener("popstate", (event) => (event.state ? show(event.state.step) : undefined));
  window.addEventListener("beforeunload", (event) => {
    if (entered() && !state.leaving) event.preventDefault();
  });
  window.addEventListener("hashchange", anotherLink);
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted || state.receipt) return; // a receipt may be all that she has
    state.leaving = true;
    location.reload(); // whoever goes back to a page that was left must not find the answers
  });
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    page.focus();
  });
  document.getElementById("languages")?.addEventListener("click", (event) => {
    const link = event.target.closest("[data-language]");
    if (!link) return;
    if (!state.survey && state.step === 0) {
      link.hash = state.fragment; // the server has this page in every language
      return;
    }
    event.preventDefault();
    switchLanguage(link.dataset.language);
  });
  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.key !== "Enter" || event.repeat || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (field.closest("a, button, summary, textarea, select, [role=button], [role=option], [role=listbox]")) return;
    if (field.closest("[aria-expanded=true]")) return;
    event.preventDefault();
    const primary = document.querySelector("#screen button.primary:not([disabled])");
    primary?.click();
  });
}

export async function main(fragment) {
  watchFaults(context);
  state.fragment = fragment;
  context.language = await chooseLanguage(page.dataset.language);
  listen();
  if (isDamaged(fragment)) { // known before Python is there, and no page is better for waiting
    state.refused = { code: "verification.invitation" };
    return show(0);
  }
  const start = document.getElementById("start");
  start.addEventListener("click", context.next);
  start.disabled = false;
  indicate(about);
  showLoading();
  mentionOthers();
  context.engine.start();
}
