// Sending, whether the answers were just reviewed or had been sent before the page was loaded anew.

import { h } from "./dom.mjs";
import { wipe } from "./kept.mjs";
import { forgetAnswers } from "./questions.mjs";

/** Send by a step of the engine; with the receipt everything that the page holds is wiped. */
export async function deliver(context, step) {
  const receipt = await context.engine.ask(step);
  wipe();
  context.tell({ type: "sent", receipt });
  forgetAnswers();
  context.next();
}

const OVER = new Set(["state.closed", "state.released", "state.expired"]);

/** Whether the survey takes no answers any more, so that nothing can be tried again. */
export const isOver = (error) => error !== null && (error.code === "state" || OVER.has(error.code));

export function failure({ language }, error) {
  const code = OVER.has(error.code) ? "state" : error.code;
  const key = language.has(`send.${code}`) ? code : "other";
  const own = error.code === "remote.unreachable" ? "send.retry" : `send.${key}.text`;
  const meaning = language.has(own) ? own : "send.kept";
  return h(
    "div",
    { class: "notice error", role: "alert", tabindex: "-1", "data-code": error.code },
    h("h2", {}, language.t(`send.${key}`)),
    h("p", {}, language.t(meaning)),
    key === "other" && h("p", { lang: "en", dir: "ltr", class: "detail" }, `${error.code}: ${error.message}`),
  );
}

/** Where a failure stands, so that whatever draws the screen again keeps it. */
export const problemOf = (context) => h("div", { id: "send-problem" }, context.state.problem && failure(context, context.state.problem));

export function tellProblem() {
  /** @type {HTMLElement} */ (document.getElementById("send-problem")?.firstElementChild)?.focus();
}

/** A ballot was sent before the page was loaded anew, and no answer came: only the very same may be sent again. @param {() => void} refresh */
export function sentBefore(context, refresh) {
  const { language, state, tell } = context;
  const again = async () => {
    tell({ type: "sends" });
    refresh();
    try {
      await deliver(context, "send_again");
    } catch (error) {
      tell({ type: "unsent", problem: error });
      refresh();
      tellProblem();
    }
  };
  return h(
    "div",
    { class: "notice warning", id: "sent-before" },
    h("h2", {}, language.t("sent.heading")),
    h("p", {}, language.t("sent.text")),
    problemOf(context),
    h("p", { class: "actions" }, h("button", { type: "button", id: "send-again", disabled: state.sending, onclick: again }, language.t("sent.again"))),
  );
}
