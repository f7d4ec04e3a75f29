// Step 5: the questionnaire, one SurveyJS page on a page. SurveyJS draws; the whitelist, the texts and the last
// word on every answer come from Python.

import { errorSummary, h } from "./dom.mjs";
import { drawable, opaque, plain } from "./opaque.mjs";
import { bring } from "./request.mjs";

const UI_TEXTS = { de: new URL("./survey.de.js", import.meta.url), ar: new URL("./survey.ar.js", import.meta.url), fr: new URL("./survey.fr.js", import.meta.url) };
export const LOST = "network"; // message of an error: a file has not arrived
const CORE = new URL("./survey.core.js", import.meta.url);
const UI = new URL("./survey-ui.js", import.meta.url);
const STYLE = h("link", { rel: "stylesheet", href: new URL("./survey-core.css", import.meta.url) });
let libraries = null;
let model = null;
let modelLanguage = null;
let codes = null; // of the model's own names and values
let asked = 0; // how often Python was asked what is shown
let rules = null; // what it said of that last
let loading = null; // the questionnaire that is under way
let drawn = null; // where it is drawn

const scripts = new Map(); // by address: what has arrived, or is on its way

/** Load a script once, however many wait for it; what was lost is loaded when it is asked for again. */
function addScript(url) {
  const lost = () => {
    scripts.delete(url);
    throw new Error(LOST);
  };
  if (!scripts.has(url)) scripts.set(url, arrival(url).catch(lost));
  return scripts.get(url);
}

async function arrival(url) {
  await bring(url);
  await new Promise((onload, onerror) => document.head.append(h("script", { src: url, onload, onerror })));
}

async function loadLibraries() {
  document.head.prepend(STYLE); // before our own, which has the last word
  await addScript(CORE);
  await addScript(UI);
  // What is read is what was signed: between two characters that no signed text can hold there is no answer put in.
  Survey.settings.expressionVariableDelimiters = { start: "\u0000", end: "\u0001" };
  Survey.settings.animationEnabled = false; // a question is there or it is not
  const { icons } = Survey.SvgRegistry; // their inline styles would be an error of the policy
  for (const [name, icon] of Object.entries(icons)) icons[name] = icon.replaceAll(/ style="[^"]*"/g, "");
}

/** Prepare the questionnaire in the present language, keeping the answers. */
export function loadQuestionnaire(context) {
  const { code } = context.language;
  if (model && modelLanguage === code && !loading) return Promise.resolve();
  if (loading?.code === code) return loading.done;
  const mine = { code, done: null };
  loading = mine;
  mine.done = prepare(context, () => loading === mine).finally(() => { if (loading === mine) loading = null; });
  return mine.done;
}

/** Nothing is drawn before it is known what is hidden; `wanted` tells whether no other language was chosen meanwhile. */
async function prepare(context, wanted) {
  const { language, state, engine } = context;
  libraries ??= loadLibraries().catch((error) => { libraries = null; throw error; });
  await libraries;
  if (language.own in UI_TEXTS) await addScript(UI_TEXTS[language.own]);
  const definition = await engine.ask("questionnaire", { language: language.code });
  if (state.survey.conditions) await follow(context);
  if (!wanted()) return;
  const secret = opaque(definition);
  const fresh = new Survey.Model(drawable(definition, context));
  fresh.applyTheme({ themeName: "default", isPanelless: true });
  fresh.locale = language.own === "en" ? "" : language.own;
  fresh.showNavigationButtons = false;
  fresh.showTitle = false;
  fresh.showCompletedPage = false;
  fresh.showPageTitles = false;
  fresh.showQuestionNumbers = "off";
  fresh.widthMode = "responsive";
  fresh.textUpdateMode = "onTyping";
  fresh.checkErrorsMode = "onNextPage";
  fresh.questionErrorLocation = "bottom";
  fresh.autoFocusFirstError = false;
  fresh.focusFirstQuestionAutomatic = false;
  if (model) fresh.data = model.data;
  fresh.onValueChanged.add((_, { question }) => {
    context.tell({ type: "answered", answers: plain(fresh.data, secret) });
    if (question && secret.get(question.name).type === "ranking") requestAnimationFrame(() => places(context, question));
    if (state.survey.conditions) follow(context);
  });
  fresh.onAfterRenderQuestion.add((_, { question, htmlElement }) => named(context, secret.get(question.name), question, htmlElement));
  model = fresh;
  codes = secret;
  modelLanguage = language.code;
  obey(context);
}

/** What Python says of a page, and of what her answers hide. */
function look(context, page) {
  const { language, state, engine } = context;
  return engine.ask("check_answers", { page, answers: state.answers, settled: settledAnswers(state), signs: language.signs });
}

/** Show and hide by the answers; the last question that was put to Python decides. */
async function follow(context) {
  const mine = ++asked;
  const said = await look(context, model ? model.pages.indexOf(model.currentPage) : 0);
  if (mine !== asked) return;
  rules = said;
  context.tell({ type: "hidden", pages: rules.empty });
  obey(context);
}

/** Show and hide as Python said last. */
function obey({ state }) {
  if (!model || !rules) return;
  for (const question of model.getAllQuestions()) {
    const { name } = codes.get(question.name);
    question.visible = !rules.hidden.includes(name);
    question.isRequired = rules.required.some((part) => part === name || (state.survey.questions[part].element === name && !part.endsWith("-Comment")));
  }
}

/** Parts of an element that are answered by themselves: rows of a matrix, the words for "other". */
function parts(context, question) {
  const { name } = codes.get(question.name);
  return Object.entries(context.state.survey.questions).filter(([, signed]) => signed.element === name).map(([part]) => part);
}

/** Beside each choice of an order its place. */
function places({ language }, question) {
  const order = question.value ?? [];
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = document.getElementById(question.id)?.querySelectorAll("input[type=checkbox]");
  for (const input of inputs ?? []) {
    const place = order.indexOf(input.value) + 1;
    const item = input.closest("label");
    const text = question.choices.find(({ value }) => value === input.value)?.text ?? "";
    if (place) item.dataset.place = language.number(place);
    else delete item.dataset.place;
    input.setAttribute("aria-label", place ? language.t("questions.place", { choice: text, place: language.number(place) }) : text);
  }
}

/** A field above a long list that leaves in it what matches. */
function searchable({ language }, question, place) {
  const select = place.querySelector("select");
  if (!select || place.querySelector(".search")) return;
  const all = question.choices.map(({ value, text }) => ({ value, text }));
  const found = h("span", { class: "quiet", role: "status" });
  const field = h("input", { type: "search", class: "search", "aria-label": language.t("questions.search"), placeholder: language.t("questions.search"), autocomplete: "off" });
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLocaleLowerCase(language.code);
    const left = all.filter(({ value, text }) => value === question.value || text.toLocaleLowerCase(language.code).includes(wanted));
    question.choices = left;
    found.textContent = wanted ? language.t("questions.found", { count: left.length }) : "";
  });
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") event.stopPropagation(); });
  select.closest(".sd-question__content").before(field, found);
}

/** The unit beside the field, and in its name. */
function measured(input, id, unit) {
  if (!unit || document.getElementById(id)) return;
  input.parentElement.classList.add("measured");
  input.after(h("span", { class: "unit", id }, unit));
  input.setAttribute("aria-labelledby", `${input.getAttribute("aria-labelledby") ?? ""} ${id}`.trim());
}

/** What SurveyJS leaves without a name, or without a hint for the keyboard. */
function named(context, { name, type, search }, question, place) {
  const { language, state } = context;
  if (type === "image" || type === "matrix") return;
  if (type === "ranking") places(context, question);
  if (search) searchable(context, question, place);
  const signed = state.survey.questions[name];
  for (const select of place.querySelectorAll("select:not([aria-labelledby])")) select.setAttribute("aria-labelledby", question.ariaTitleId);
  if (signed.kind === "number") {
    const input = place.querySelector("input");
    input.setAttribute("inputmode", signed.fractional ? "decimal" : "numeric");
    if (signed.unit) measured(input, `${question.id}-unit`, language.survey(signed.unit));
  }
  if (signed.kind !== "rating") return;
  for (const input of place.querySelectorAll("input[type=radio]")) {
    const value = Number(input.value);
    const end = value === signed.minimum ? signed.minimum_label : value === signed.maximum ? signed.maximum_label : null;
    const figures = { value: language.number(value), low: language.number(signed.minimum), high: language.number(signed.maximum) };
    input.setAttribute("aria-label", [language.t("questions.rating", figures), end && language.survey(end)].filter(Boolean).join(" – "));
  }
}

/** One screen a page of the questionnaire; one in any case, so that the steps can be counted beforehand. */
export function questionPages(context) {
  const count = context.state.survey?.question_pages ?? 1;
  return Array.from({ length: count }, (_, number) => ({
    name: `questions-${number}`,
    stage: "questions",
    page: number + 1,
    skipped: () => context.state.emptyPages.has(number),
    render: () => render(context, number),
  }));
}

function render(context, number) {
  const { language, state } = context;
  if (!model || modelLanguage !== language.code) return waiting(context);
  const page = model.pages[number];
  model.currentPage = page; // by number SurveyJS counts only those that are shown
  const place = h("div", { class: "questionnaire", dir: language.direction });
  const heading = page.title || language.t("questions.heading");
  queueMicrotask(() => {
    undraw();
    SurveyUI.renderSurvey(model, place);
    place.querySelector("form")?.setAttribute("autocomplete", "off"); // whoever uses this browser next is offered no answer of hers
    drawn = place;
  });
  return [
    h("h1", { tabindex: "-1" }, heading),
    page.description && h("p", {}, page.description),
    page.questions.some((question) => parts(context, question).some((part) => state.survey.questions[part].kind === "text")) && h("p", { class: "notice warning" }, language.t("questions.free-text")),
    place,
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: () => proceed(context, number) }, language.t("continue")),
      h("button", { type: "button", onclick: context.back }, language.t("back")),
    ),
  ];
}

/** What is left in no document would listen to the model all the same. */
function undraw() {
  if (drawn) SurveyUI.unmountComponentAtNode(drawn);
  drawn = null;
}

/** The libraries are still on their way, or were lost on it. */
function waiting(context) {
  const { language, state } = context;
  return [
    h("h1", { tabindex: "-1" }, language.t("questions.heading")),
    state.questionsLost
      ? h("div", { class: "notice error", role: "alert" }, h("p", {}, language.t("questions.failed")), h("button", { type: "button", class: "primary", onclick: () => context.loadQuestions() }, language.t("questions.retry")))
      : h("p", { role: "status" }, language.t("questions.preparing")),
    h("p", { class: "actions" }, h("button", { type: "button", onclick: context.back }, language.t("back"))),
  ];
}

async function proceed(context, number) {
  const { state } = context;
  const { step, answers } = state;
  const { errors, readings, accepted, empty } = await look(context, number);
  if (state.step !== step) return; // pressed twice, or gone back meanwhile
  if (state.answers !== answers) return proceed(context, number); // she has changed one meanwhile
  const { language } = context;
  context.tell({ type: "hidden", pages: empty });
  context.tell({ type: "accepted", accepted: Object.entries(accepted).map(([name, value]) => [name, { typed: answers[name], value }]) });
  const { questions } = model.pages[number];
  const faulty = (question) => parts(context, question).find((part) => Object.hasOwn(errors, part));
  const wrong = questions.filter(faulty);
  if (wrong.length === 0) return context.next();
  const said = (question) => {
    const part = faulty(question);
    return words(language, { ...state.survey.questions[part], type: codes.get(question.name).type, part }, answers[part], errors[part], readings[part]);
  };
  for (const question of questions) {
    question.clearErrors();
    if (wrong.includes(question)) question.addError(new Survey.CustomError(said(question)));
  }
  const summary = errorSummary(
    language.t("errors.heading", { count: wrong.length }),
    wrong.map((question) => ({ field: question.id, message: language.t("questions.error", { title: question.processedTitle, error: said(question) }) })),
  );
  const screen = document.getElementById("screen");
  screen.querySelector("#error-summary")?.remove();
  screen.prepend(summary);
  summary.focus();
}

function words(language, question, typed, code, readings) {
  if (code === "ambiguous") {
    const [first, second] = readings.map((text) => language.typeable(text));
    return language.t("questions.ambiguous", { typed, first, second });
  }
  if (question.kind === "consent") return language.t("questions.consent");
  if (code === "missing") return language.t(question.type === "matrix" ? "questions.rows" : question.part.endsWith("-Comment") ? "questions.another.missing" : "questions.required");
  if (question.kind === "ranking") return language.t("questions.order.wrong");
  if (question.kind === "date") return language.t("questions.date", { low: language.day(question.minimum), high: language.day(question.maximum) });
  if (question.kind === "number") {
    const [low, high, step] = [question.minimum, question.maximum, question.step].map((text) => language.number(text));
    return language.t("questions.number", { low, high, step });
  }
  return language.t("questions.wrong");
}

/** The answers as they passed: numbers as plain decimals, whatever language is shown meanwhile. */
export function acceptedAnswers({ state }) {
  return Object.assign(Object.create(null), state.answers, settledAnswers(state));
}

/** Those that passed and were not changed since. */
function settledAnswers(state) {
  const answers = Object.create(null);
  for (const [name, typed] of Object.entries(state.answers)) {
    const passed = state.accepted.get(name);
    if (passed && JSON.stringify(passed.typed) === JSON.stringify(typed)) answers[name] = passed.value;
  }
  return answers;
}

/** Drop what SurveyJS holds. */
export function forgetAnswers() {
  undraw();
  model?.clear(true, true);
  model = null;
  rules = null;
  codes = null;
  modelLanguage = null;
}
