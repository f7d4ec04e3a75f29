// Step 6: exactly what will be sent, byte for byte, what the server will keep of it, and the sending itself.

import { h, replace } from "./dom.mjs";
import { forgetAnswers, plainAnswers } from "./questions.mjs";

export const review = {
  name: "review",
  stage: "review",
  render(context) {
    const { language, state } = context;
    const place = h("div", { "aria-busy": "true" }, h("p", { role: "status" }, language.t("review.preparing")));
    const problem = h("div", { id: "send-problem" });
    const send = h("button", { type: "button", class: "primary", disabled: true, onclick: () => sendMessage(context, send, problem) }, language.t("review.send"));
    compose(context, place, send, problem);
    return [
      h("h1", { tabindex: "-1" }, language.t("review.heading")),
      problem,
      place,
      h(
        "p",
        { class: "actions" },
        send,
        h("button", { type: "button", id: "back", onclick: context.back }, language.t("back")),
      ),
    ];
  },
};

async function compose(context, place, send, problem) {
  const { language, state, engine } = context;
  let message;
  try {
    message = await engine.ask("compose", { answers: plainAnswers(context) });
  } catch (error) {
    replace(problem, failure(context, error));
    replace(place);
    return;
  }
  state.message = message;
  send.disabled = false;
  place.removeAttribute("aria-busy");
  replace(
    place,
    h("p", { class: "promise" }, language.t("review.promise", { count: state.room.people })),
    h("h2", {}, language.t("review.contents")),
    h(
      "dl",
      { class: "facts" },
      h("dt", {}, language.t("review.group")),
      h("dd", {}, language.number(message.cell)),
      message.answers.map(({ title, texts }) => [h("dt", {}, language.survey(title)), h("dd", {}, answerText(language, language.survey(texts)))]),
      h("dt", {}, language.t("review.padding")),
      h("dd", {}, language.t("review.padding.text", { bytes: language.number(message.length) })),
    ),
    h("details", { open: true }, h("summary", {}, language.t("review.bytes", { bytes: language.number(message.length) })), h("pre", { tabindex: "0", class: "bytes", dir: "ltr", lang: "zxx", translate: "no", id: "bytes", "aria-label": language.t("review.bytes", { bytes: language.number(message.length) }) }, message.text)),
    h("h2", {}, language.t("review.stored")),
    h("ul", { id: "stored" }, storedLines(language, state.survey).map((line) => h("li", {}, line))),
  );
}

function answerText(language, values) {
  const plain = { true: language.t("review.yes"), false: language.t("review.no") };
  return language.list(values.map((value) => plain[value] ?? language.number(value)));
}

/** Generated from the signed list of what may be stored. */
function storedLines(language, survey) {
  return [
    ...survey.stored.map((code) => language.t(`stored.${code}`)),
    language.t("stored.nothing-else"),
    language.t("stored.retention", { count: survey.retention_days }),
  ];
}

async function sendMessage(context, send, problem) {
  const { language, state, engine } = context;
  send.disabled = true;
  replace(problem, h("p", { role: "status", class: "notice" }, language.t("review.sending")));
  try {
    const { receipt, earlier } = await engine.ask("send");
    state.receipt = { receipt, earlier };
    state.quasi = {};
    forgetAnswers();
    state.answers = {};
    state.room = null;
    context.next();
  } catch (error) {
    send.disabled = false;
    send.textContent = language.t("review.again");
    replace(problem, failure(context, error));
    problem.firstChild.focus();
  }
}

function failure({ language }, error) {
  const key = language.has(`send.${error.code}`) ? error.code : "other";
  return h(
    "div",
    { class: "notice error", role: "alert", tabindex: "-1", "data-code": error.code },
    h("h2", {}, language.t(`send.${key}`)),
    h("p", {}, language.t(error.code === "remote.unreachable" ? "send.retry" : "send.kept")),
    key === "other" && h("p", { lang: "en", dir: "ltr", class: "detail" }, `${error.code}: ${error.message}`),
  );
}
