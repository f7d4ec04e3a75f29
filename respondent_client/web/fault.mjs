// What nobody has foreseen: an error of this page itself. Without this a button would do nothing, silently.

import { h, replace } from "./dom.mjs";

const HIDDEN_CODES = ["engine"]; // the loading note says that Python cannot run

/** Say above the screen that something failed and what to do. Names of errors only: a message may hold what she typed. */
export function watchFaults(context) {
  const show = (error) => {
    if (!context.language || HIDDEN_CODES.includes(error?.code)) return;
    const { language, state } = context;
    const place = document.getElementById("fault") ?? document.getElementById("screen").parentNode.insertBefore(h("div", { id: "fault" }), document.getElementById("screen"));
    replace(
      place,
      h(
        "div",
        { class: "notice error", role: "alert", tabindex: "-1" },
        h("h2", {}, language.t("fault.heading")),
        h("p", {}, language.t(state.tried ? "failure.perhaps-sent" : "failure.nothing-sent")),
        h("ul", {}, ["fault.again", "fault.reload", "failure.ask"].map((key) => h("li", {}, language.t(key)))),
        h("p", { class: "hint" }, language.t("fault.name", { name: error?.code ?? error?.name ?? "error" })),
      ),
    );
    place.firstChild.focus();
  };
  window.addEventListener("error", (event) => show(event.error));
  window.addEventListener("unhandledrejection", (event) => show(event.reason));
}

/** When the next screen is shown, whatever failed has succeeded. */
export function forgetFault() {
  document.getElementById("fault")?.remove();
}
