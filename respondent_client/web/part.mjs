// Of a large survey the device loads one part, which tells the server in which district she is: she is asked first.

import { h, replace } from "./dom.mjs";
import { asked } from "./state.mjs";
import { findRoom, waitingForChecks } from "./you.mjs";

/** The screen before her group; it is passed over where nothing is left to be loaded. */
export const part = (state) => {
  const known = state.part || state.room || !asked(state)?.in_parts;
  return {
    name: "part",
    stage: "you",
    skipped: () => known && state.part === null,
    render: (context) => (known ? (state.part ? choice : loaded) : waitingForChecks)(context),
  };
};

function choice(context) {
  const { language, state: { part: own } } = context;
  const figures = { size: language.size(own.bytes), all: language.size(own.all_bytes), parts: language.number(own.parts), people: language.number(own.people.count) };
  const status = h("div", { role: "status", id: "part-status" });
  const actions = h(
    "p",
    { class: "actions" },
    h("button", { type: "button", class: "primary", id: "load-part", onclick: () => load(context, false, status) }, language.t("part.load", figures)),
    h("button", { type: "button", id: "load-all", onclick: () => load(context, true, status) }, language.t("part.load-all", figures)),
    h("button", { type: "button", onclick: context.back }, language.t("back")),
  );
  return [
    h("h1", { tabindex: "-1" }, language.t("part.heading")),
    h("p", {}, language.t("part.text", figures)),
    h("p", { class: "promise", id: "part-tells" }, language.t("part.tells", figures)),
    h("p", {}, language.t("part.all", figures)),
    status,
    actions,
  ];
}

/** Who comes back here finds that there is nothing to be done. */
function loaded({ language, next, back }) {
  return [
    h("h1", { tabindex: "-1" }, language.t("part.loaded")),
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: next }, language.t("continue")),
      h("button", { type: "button", onclick: back }, language.t("back")),
    ),
  ];
}

async function load(context, everything, status) {
  const { engine, language, state } = context;
  const { step, quasi } = state;
  const buttons = [...document.querySelectorAll("#load-part, #load-all")];
  const rest = (disabled) => buttons.forEach((button) => { /** @type {HTMLButtonElement} */ (button).disabled = disabled; });
  rest(true);
  const said = language.t(everything ? "part.loading-all" : "part.loading");
  const bar = () => {
    const { done = 0, total = null } = state.notice ?? {};
    replace(status, h("p", {}, said), everything && total && h("progress", { max: total, value: done, "aria-label": said }));
  };
  context.tell({ type: "notice", notice: null });
  context.live = () => state.step === step && bar();
  bar();
  try {
    context.tell({ type: "examined", found: await engine.ask("load", { everything }) });
  } catch (error) {
    if (error.code !== "remote.unreachable") return context.refuse({ code: error.code ?? "internal", error });
    replace(status, h("p", { class: "notice error", role: "alert" }, language.t("part.lost")));
    return rest(false);
  }
  if (state.refused) return context.refuse(state.refused);
  if (state.step !== step || state.quasi !== quasi) return; // she has gone back meanwhile, and is asked again
  if (await findRoom(context)) context.next();
}
