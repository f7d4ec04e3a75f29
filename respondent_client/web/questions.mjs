// Step 5: the questionnaire, one SurveyJS page on a page. SurveyJS draws; the whitelist, the texts and the last
// word on every answer come from Python.

import { errorSummary, h } from "./dom.mjs";

const UI_TEXTS = { de: new URL("./survey.de.js", import.meta.url), ar: new URL("./survey.ar.js", import.meta.url) };
let libraries = null;
let model = null;
let modelLanguage = null;

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
  const fresh = new Survey.Model(accessible(definition));
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
  fresh.autoFocusFirstError = false;
  fresh.focusFirstQuestionAutomatic = false;
  fresh.data = model ? model.data : state.answers;
  fresh.onValueChanged.add(() => {
    state.answers = fresh.data;
    context.changed();
  });
  fresh.onAfterRenderQuestion.add((_, { question, htmlElement }) => {
    // SurveyJS leaves its native lists without a name.
    for (const select of htmlElement.querySelectorAll("select:not([aria-labelledby])")) select.setAttribute("aria-labelledby", question.ariaTitleId);
  });
  model = fresh;
  modelLanguage = language.code;
}

/** Native controls where SurveyJS has a choice, and numbers as text, for the decimal sign of her language. */
function accessible(definition) {
  for (const { elements } of definition.pages) {
    for (const element of elements) {
      if (element.type === "dropdown") element.renderAs = "select";
      if (element.type === "boolean") element.renderAs = "radio";
      if (element.type === "rating") element.displayMode = "buttons";
      if (element.type === "text") {
        element.inputType = "text";
        delete element.min;
        delete element.max;
        delete element.step;
      }
    }
  }
  return definition;
}

/** One screen a page of the questionnaire; one in any case, so that the steps can be counted beforehand. */
export function questionPages(context) {
  const count = context.state.survey?.question_pages ?? 1;
  return Array.from({ length: count }, (_, number) => ({
    name: `questions-${number}`,
    stage: "questions",
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
    state.survey.question_pages > 1 && h("p", { class: "quiet" }, language.t("questions.page", { number: language.number(number + 1), total: language.number(state.survey.question_pages) })),
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
  const { step } = state;
  const { errors } = await engine.ask("check_answers", { page: number, answers: plainAnswers(context) });
  if (state.step !== step) return; // pressed twice, or gone back meanwhile
  const wrong = model.pages[number].questions.filter(({ name }) => name in errors);
  if (wrong.length === 0) return context.next();
  for (const question of model.pages[number].questions) {
    question.clearErrors();
    if (question.name in errors) question.addError(new Survey.CustomError(words(language, state.survey.questions[question.name], errors[question.name])));
  }
  const summary = errorSummary(
    language.t("errors.heading", { count: wrong.length }),
    wrong.map((question) => ({
      field: question.id,
      message: `${question.processedTitle}: ${words(language, state.survey.questions[question.name], errors[question.name])}`,
    })),
  );
  const screen = document.getElementById("screen");
  screen.querySelector("#error-summary")?.remove();
  screen.prepend(summary);
  summary.focus();
}

function words(language, question, code) {
  if (question.kind === "number") {
    const [low, high, step] = [question.minimum, question.maximum, question.step].map((text) => language.number(text));
    return language.t("questions.number", { low, high, step });
  }
  return language.t(code === "missing" ? "questions.required" : "questions.wrong");
}

/** The answers as Python wants them: numbers as plain decimals in texts, however her language writes them. */
export function plainAnswers({ language, state }) {
  const answers = {};
  for (const [name, value] of Object.entries(state.answers)) {
    answers[name] = state.survey.questions[name].kind === "number" ? language.plainNumber(String(value)) : value;
  }
  return answers;
}

/** Drop what SurveyJS holds. */
export function forgetAnswers() {
  model?.clear(true, true);
  model = null;
  modelLanguage = null;
}
