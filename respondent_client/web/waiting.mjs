// The quiet minutes before a ballot is sent at a random moment: she can send it at once, or call it off.

import { h } from "./dom.mjs";

const REFRESH_MS = 1000;

/** Wait for a moment that Python drew; `due` is called then. False if she has gone back meanwhile. */
export async function startWaiting({ state, tell, engine }, due) {
  const { message } = state;
  const { milliseconds } = await engine.ask("delay");
  if (state.message !== message || state.waiting) return false;
  const waiting = { until: Date.now() + milliseconds, timer: null };
  // A timer alone stands still while the device sleeps; the clock does not.
  waiting.timer = setInterval(() => {
    if (Date.now() < waiting.until || state.waiting !== waiting) return;
    clearInterval(waiting.timer);
    due();
  }, Math.min(REFRESH_MS, milliseconds));
  tell({ type: "waits", waiting });
  return true;
}

export function stopWaiting({ state, tell }) {
  stopTimer(state);
  tell({ type: "waits", waiting: null });
}

export function stopTimer(state) {
  clearInterval(state.waiting?.timer);
}

export function waitingScreen({ language, state }, { now, callOff }) {
  return [
    h("h1", { tabindex: "-1" }, language.t("waiting.heading")),
    h("div", { class: "notice", id: "waiting" }, h("p", {}, language.t("waiting.text", { minutes: minutes(language, state.survey) })), h("p", { id: "moment" }, language.t("waiting.at", { time: clock(language, state.waiting.until) })), h("p", {}, language.t("waiting.open"))),
    h("p", {}, language.t("waiting.why")),
    h(
      "p",
      { class: "actions" },
      // Not the primary button: Enter, held or pressed twice, must not skip the random moment.
      h("button", { type: "button", id: "send-now", onclick: now }, language.t("waiting.now")),
      h("button", { type: "button", id: "call-off", onclick: callOff }, language.t("waiting.off")),
    ),
  ];
}

const clock = (language, at) => new Intl.DateTimeFormat(language.numbers, { hour: "numeric", minute: "2-digit" }).format(at);

/** Length of the window as she says it: "15 minutes". */
export function minutes(language, survey) {
  const seconds = survey.invited.window_seconds;
  const [value, unit] = seconds < 120 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  return new Intl.NumberFormat(language.own, { style: "unit", unit, unitDisplay: "long" }).format(value);
}
