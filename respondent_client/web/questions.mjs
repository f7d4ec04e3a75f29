// Step 5: the questionnaire, one SurveyJS page on a page. SurveyJS draws; the whitelist, the texts and the last
// word on every answer come from Python.

import { errorSummary, h } from "./dom.mjs";
import { drawn, opaque, plain } from "./opaque.mjs";

const UI_TEXTS = { de: new URL("./survey.de.js", import.meta.url), ar: new URL("./survey.ar.js", import.meta.url) };
let libraries = null;
let model = null;
let modelLanguage = null;
let codes = null; // of the model's own names and values

function addScript(url) {
  return new Promise((resolve, reject) => {
    const script = h("script", { src: url, onload: resolve, onerror: () => reject(new Error("network")) });
    document.head.append(script);
  });
}

async function loadLibraries() {
  const style = h("link", { rel: "stylesheet", href: new URL("./survey-core.css", import.meta.url) });
  document.head.prepend(style); // before our own, which has the last word
  await addScript(new URL("./survey.core.js", import.meta.url));
  await addScript(new URL("./survey-ui.js", import.meta.url));
}

/** Prepare the questionnaire in the present language, keeping the answers. */
export async function loadQuestionnaire(context) {
  const { language, state, engine } = context;
  if (model && modelLanguage === language.code) return;
  try {
    libraries ??= loadLibraries();
    await libraries;
    if (language.own in UI_TEXTS && !Survey.surveyLocalization.locales[language.own]) await addScript(UI_TEXTS[language.own]);
  } catch {
    libraries = null;
    throw new Error("network");
  }
  const definition = await engine.ask("questionnaire", { language: language.code });
  const secret = opaque(definition);
  const fresh = new Survey.Model(drawn(definition, context));
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
  fresh.onValueChanged.add(() => {
    state.answers = plain(fresh.data, secret);
    context.changed();
  });
  fresh.onAfterRenderQuestion.add((_, { question, htmlElement }) => named(context, secret.get(question.name).name, question, htmlElement));
  model = fresh;
  codes = secret;
  modelLanguage = language.code;
}

/** What SurveyJS leaves without a name, or without a hint for the keyboard. */
function named({ language, state }, name, question, place) {
  const signed = state.survey.questions[name];
  for (const select of place.querySelectorAll("select:not([aria-labelledby])")) select.setAttribute("aria-labelledby", question.ariaTitleId);
  if (signed.kind === "number") {
    for (const input of place.querySelectorAll("input")) input.setAttribute("inputmode", signed.fractional ? "decimal" : "numeric");
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
    render: () => render(context, number),
  }));
}

function render(context, number) {
  const { language, state } = context;
  if (!model) return waiting(context);
  const page = model.pages[number];
  model.currentPageNo = number;
  const place = h("div", { class: "questionnaire", dir: language.direction });
  const heading = page.title || language.t("questions.heading");
  queueMicrotask(() => SurveyUI.renderSurvey(model, place));
  return [
    h("h1", { tabindex: "-1" }, heading),
    page.description && h("p", {}, page.description),
    page.questions.some((question) => question.getType() === "comment") && h("p", { class: "notice warning" }, language.t("questions.free-text")),
    place,
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: () => proceed(context, number) }, language.t("continue")),
      h("button", { type: "button", onclick: context.back }, language.t("back")),
    ),
  ];
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
  const { language, state, engine } = context;
  const { step, answers } = state;
  const { errors, readings, accepted } = await engine.ask("check_answers", { page: number, answers, signs: language.signs });
  if (state.step !== step) return; // pressed twice, or gone back meanwhile
  for (const [name, value] of Object.entries(accepted)) state.accepted.set(name, { typed: answers[name], value });
  const { questions } = model.pages[number];
  const signed = (question) => codes.get(question.name).name;
  const wrong = questions.filter((question) => Object.hasOwn(errors, signed(question)));
  if (wrong.length === 0) return context.next();
  const said = (question) => words(language, state.survey.questions[signed(question)], answers[signed(question)], errors[signed(question)], readings[signed(question)]);
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
  if (code === "missing") return language.t("questions.required");
  if (question.kind === "number") {
    const [low, high, step] = [question.minimum, question.maximum, question.step].map((text) => language.number(text));
    return language.t("questions.number", { low, high, step });
  }
  return language.t("questions.wrong");
}

/** The answers as they passed: numbers as plain decimals, whatever language is shown meanwhile. */
export function acceptedAnswers({ state }) {
  const answers = Object.create(null);
  for (const [name, typed] of Object.entries(state.answers)) {
    const passed = state.accepted.get(name);
    answers[name] = passed && passed.typed === typed ? passed.value : typed;
  }
  return answers;
}

/** Drop what SurveyJS holds. */
export function forgetAnswers() {
  model?.clear(true, true);
  model = null;
  codes = null;
  modelLanguage = null;
}
