// Saving the token to finish on another device: a file, a code to scan, or a sheet of paper.

import { codePicture } from "./code.mjs";
import { h, replace } from "./dom.mjs";
import { saveFile } from "./saving.mjs";

/** The folded section; `forget` removes the token from this tab. */
export function elsewhere(context, forget) {
  const { language, state } = context;
  const { token, saved } = state.invitation;
  const place = h("div", { id: "token-code" });
  const after = h("div", { id: "token-after", role: "status" });
  const done = () => {
    context.tell({ type: "invitation", changes: { saved: true } });
    replace(after, goOnThere(language, forget));
  };
  const show = async () => {
    let picture;
    try {
      picture = await codePicture(token.link, language.t("token.code"), "low");
    } catch {
      replace(place, h("p", { class: "notice error", role: "alert" }, language.t("scan.lost")));
      return false;
    }
    if (!place.isConnected) return false; // she has gone on without it
    replace(place, h("figure", { class: "sheet" }, picture, h("figcaption", {}, language.t("token.code.text"))));
    done();
    return true;
  };
  if (saved) replace(after, goOnThere(language, forget));
  return h(
    "details",
    { id: "elsewhere", open: saved },
    h("summary", {}, language.t("token.elsewhere")),
    h("p", {}, language.t("token.elsewhere.text")),
    h("p", { class: "notice warning" }, language.t("token.elsewhere.warning")),
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", id: "save-token", onclick: () => { saveFile(`roomful-token-${document.getElementById("main").dataset.id}.json`, token.file, "application/json"); done(); } }, language.t("token.save")),
      h("button", { type: "button", id: "show-token", onclick: show }, language.t("token.show")),
      h("button", { type: "button", id: "print-token", onclick: async () => { if (await show()) window.print(); } }, language.t("token.print")),
    ),
    place,
    after,
  );
}

function goOnThere(language, forget) {
  return [
    h("p", {}, language.t("token.saved")),
    h("p", { class: "actions" }, h("button", { type: "button", id: "forget-token", onclick: forget }, language.t("token.forget"))),
  ];
}
