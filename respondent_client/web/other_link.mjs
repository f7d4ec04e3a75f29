// Another link was opened over a page that holds something: it waits, out of the address, until she decides.

import { h } from "./dom.mjs";
import { pinned, reopen } from "./fragment.mjs";

/** The screen of `state.other`; it stands in the place of the step `instead`. */
export function otherLink(instead) {
  return {
    name: "other-link",
    stage: instead.stage,
    render({ language, state, tell, refresh }) {
      const stay = () => {
        tell({ type: "other", fragment: null });
        history.replaceState({ step: state.step }, "", `${location.pathname}${location.search}#${pinned(state.fragment)}`);
        refresh();
      };
      const open = () => {
        tell({ type: "leaving" });
        reopen(state.other);
      };
      // Neither is the primary button: Enter, meant for the step before, must not choose.
      return [
        h("h1", { tabindex: "-1" }, language.t("other-link.heading")),
        h("p", {}, language.t("other-link.text")),
        h("div", { class: "notice warning" }, h("p", {}, language.t("other-link.lost"))),
        h(
          "p",
          { class: "actions" },
          h("button", { type: "button", id: "stay", onclick: stay }, language.t("other-link.stay")),
          h("button", { type: "button", id: "open-other", onclick: open }, language.t("other-link.open")),
        ),
      ];
    },
  };
}
