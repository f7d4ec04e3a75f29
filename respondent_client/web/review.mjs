// The last step but one: exactly what will be sent, byte for byte, what the server will keep of it, and the sending itself.

import { castOrTest, testScreen } from "./booth.mjs";
import { h, replace } from "./dom.mjs";
import { keepMessage } from "./kept.mjs";
import { acceptedAnswers } from "./questions.mjs";
import { deliver, failure, isOver, problemOf, tellProblem } from "./sending.mjs";
import { minutes, startWaiting, stopTimer, stopWaiting, waitingScreen } from "./waiting.mjs";

export const review = {
  name: "review",
  stage: "review",
  render(context) {
    const { language, state } = context;
    if (state.sending) return sendingScreen(context);
    if (state.waiting) return waitingScreen(context, { now: () => sendMessage(context), callOff: () => { stopWaiting(context); context.refresh(); } });
    if (state.tested) return testScreen(context);
    const place = h("div", { "aria-busy": "true" }, h("p", { role: "status" }, language.t("review.preparing")));
    const problem = problemOf(context);
    const send = h("button", { type: "button", class: "primary", disabled: true, onclick: () => press(context, send) }, language.t(state.problem ? "review.again" : "review.send"));
    const test = h("button", { type: "button", id: "test-ballot", hidden: true, onclick: () => testBallot(context, [send, test]) }, language.t("booth.test"));
    compose(context, { place, send, test, problem });
    return [
      h("h1", { tabindex: "-1" }, language.t("review.heading")),
      problem,
      place,
      h(
        "p",
        { class: "actions" },
        isOver(state.problem) ? null : [send, test],
        h("button", { type: "button", id: "back", onclick: context.back }, language.t("back")),
      ),
    ];
  },
};

async function compose(context, { place, send, test, problem }) {
  const { language, state, engine } = context;
  let message;
  try {
    message = await engine.ask("compose", { answers: acceptedAnswers(context) });
    if (!place.isConnected) return; // another screen has taken its place
  } catch (error) {
    if (!place.isConnected) return;
    replace(problem, error.code === "remote.unreachable" ? lost(language) : failure(context, error));
    replace(place);
    if (error.code !== "remote.unreachable") return;
    context.tell({ type: "composed", message: null });
    send.textContent = language.t("questions.retry");
    send.disabled = false;
    return;
  }
  context.tell({ type: "composed", message });
  const raw = language.t(message.sealed ? "review.bytes-sealed" : "review.bytes");
  send.disabled = false;
  test.hidden = !message.words;
  if (message.words) send.textContent = language.t("booth.cast");
  place.removeAttribute("aria-busy");
  replace(
    place,
    h("p", { class: "promise" }, language.t(message.sealed ? "review.promise-sealed" : "review.promise", state.room.people)),
    h("h2", {}, language.t("review.contents")),
    h(
      "dl",
      { class: "facts" },
      message.answers.map((answer) => reviewed(context, answer)),
      h("dt", {}, language.t("review.group")),
      h("dd", {}, language.number(message.cell)),
    ),
    message.sealed && moment(context),
    h(
      "details",
      { id: "raw" },
      h("summary", {}, raw),
      h("pre", { tabindex: "0", class: "bytes", dir: "ltr", lang: "zxx", translate: "no", id: "bytes", role: "group", "aria-label": raw }, message.text),
      h("p", {}, `${language.t("review.padding")}: ${language.t("review.padding.text")}`),
    ),
    message.sealed && journey(language, state.survey.invited),
    h("details", {}, h("summary", {}, language.t("review.stored")), h("ul", { id: "stored" }, storedLines(language, state.survey).map((line) => h("li", {}, line)))),
    message.words && castOrTest(context, message.words),
  );
}

/** An answer, and the way back to its question. */
function reviewed({ language, changeAnswer }, { title, texts, page, kind, unit }) {
  const name = language.survey(title);
  const change = h("button", { type: "button", class: "link", "aria-label": language.t("review.change.of", { title: name }), onclick: () => changeAnswer(page) }, language.t("review.change"));
  return [h("dt", {}, name), h("dd", { class: "reviewed" }, h("span", {}, [answerText(language, language.survey(texts), kind), unit && language.survey(unit)].filter(Boolean).join(" ")), change)];
}

/** The program that seals has not arrived; there is nothing to send yet. */
function lost(language) {
  return h("div", { class: "notice error", role: "alert" }, h("h2", {}, language.t("review.lost")), h("p", {}, language.t("review.lost.text")));
}

function answerText(language, values, kind) {
  if (kind === "date") return values.map((day) => language.day(day)).join(" ");
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

/** How a sealed message travels, and who sees what on the way. */
function journey(language, { threshold, shares, relay }) {
  const figures = { threshold: language.number(threshold), shares: language.number(shares), host: relay?.host };
  const steps = ["trustees", "collector", relay ? "relay" : "direct"];
  return h(
    "details",
    {},
    h("summary", {}, language.t("review.journey")),
    h("ol", { id: "journey" }, steps.map((step) => h("li", {}, language.t(`review.journey.${step}`, figures)))),
  );
}

/** Now, or at a random moment, if she fears that somebody watches. */
function moment({ language, state, tell }) {
  const choice = (value) =>
    h(
      "label",
      { class: "choice" },
      h("input", { type: "radio", name: "when", id: `when-${value}`, checked: state.when === value, onchange: () => tell({ type: "chose", when: value }) }),
      h("span", {}, language.t(`review.when.${value}`, { minutes: minutes(language, state.survey) })),
    );
  return h(
    "fieldset",
    { class: "field when" },
    h("legend", {}, language.t("review.when")),
    h("p", { class: "hint" }, language.t("review.when.why")),
    choice("now"),
    choice("random"),
  );
}

/** From now on this ballot is dead: the next one is another. */
async function testBallot(context, buttons) {
  for (const button of buttons) button.disabled = true;
  const { message } = context.state;
  const tested = await context.engine.ask("test_ballot");
  if (context.state.message !== message) return; // she has gone back meanwhile
  context.tell({ type: "tested", tested });
  context.refresh();
}

async function press(context, send) {
  const { state, engine } = context;
  send.disabled = true;
  if (!state.message) return context.refresh(); // it could not be prepared
  if (state.message.words) {
    context.tell({ type: "casts" });
    context.refresh();
    try {
      context.tell({ type: "cast", message: await engine.ask("cast") });
    } catch (error) {
      return unsent(context, error);
    }
  }
  if (!state.message.sealed || state.when === "now") return sendMessage(context);
  if (await startWaiting(context, () => sendMessage(context))) context.refresh();
}

/** Nothing can be pressed while it is on its way, whatever draws the page again. */
function sendingScreen({ language }) {
  return [h("h1", { tabindex: "-1" }, language.t("review.sending")), h("p", { class: "notice" }, language.t("review.sending.text")), h("progress", { "aria-label": language.t("review.sending") })];
}

/** At once, when the moment has come, or when she will not wait for it. */
async function sendMessage(context) {
  const { state, engine } = context;
  if (state.sending) return;
  stopTimer(state);
  context.tell({ type: "sends" });
  context.refresh();
  try {
    const { kept } = await engine.ask("keep_message");
    if (kept) keepMessage(kept); // before anybody can have it: sealed anew, it would stand out beside the first
    await deliver(context, "send");
  } catch (error) {
    unsent(context, error);
  }
}

function unsent(context, problem) {
  context.tell({ type: "unsent", problem });
  context.refresh();
  tellProblem();
}
