// What this tab keeps for another survey is told where this one begins and where it ends: whoever comes next in this
// tab could use it. It is not dropped unasked, for a token cannot be fetched a second time.

import { h, replace } from "./dom.mjs";
import { keepsOthers, wipeOthers } from "./kept.mjs";

export function showOthers({ language, state, ends }) {
  const place = document.getElementById("others");
  place.hidden = !keepsOthers() || !ends;
  if (place.hidden || state.refused) return replace(place);
  const removed = () => {
    wipeOthers();
    replace(place, h("p", { class: "notice", role: "status" }, language.t("others.removed")));
  };
  replace(
    place,
    h(
      "section",
      { class: "notice warning", "aria-labelledby": "others-heading" },
      h("h2", { id: "others-heading" }, language.t("others.heading")),
      h("p", {}, language.t("others.text")),
      h("p", {}, h("button", { type: "button", id: "remove-others", onclick: removed }, language.t("others.remove"))),
    ),
  );
}
