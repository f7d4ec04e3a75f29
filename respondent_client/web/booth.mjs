// Cast or Test: the words of an encrypted ballot stand before the buttons, so that this device cannot know which ballots
// are tested. A tested ballot goes to another device, and is never cast.

import { digestWordsOf } from "./checks.mjs";
import { codePicture } from "./code.mjs";
import { h, replace } from "./dom.mjs";
import { saveFile } from "./saving.mjs";

/** Below what the ballot says, above the buttons. */
export function castOrTest({ language }, words) {
  return h(
    "section",
    { class: "notice", id: "booth", "aria-labelledby": "booth-heading" },
    h("h2", { id: "booth-heading" }, language.t("booth.heading")),
    h("p", {}, language.t("booth.words")),
    digestWordsOf(words),
    h("p", {}, language.t("booth.choice")),
    h("p", { class: "hint" }, language.t("booth.limits")),
  );
}

/** What another device needs to make the ballot again, and the way on. */
export function testScreen(context) {
  const { language, state, tell, refresh } = context;
  const { text, words, page } = state.tested;
  const again = () => { tell({ type: "tested", tested: null }); refresh(); };
  const picture = h("figure", { class: "sheet", "aria-busy": "true" });
  codePicture(text, language.t("booth.code"), "low").then((svg) => {
    replace(picture, svg);
    picture.removeAttribute("aria-busy");
  }, () => picture.remove());
  const copied = h("p", { role: "status", class: "hint" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      copied.textContent = language.t("booth.copied");
    } catch {
      copied.textContent = language.t("booth.not-copied");
    }
  };
  return [
    h("h1", { tabindex: "-1" }, language.t("booth.tested")),
    h("p", { class: "notice" }, language.t("booth.dead")),
    h(
      "ol",
      {},
      h("li", {}, language.t("booth.open"), h("br"), h("a", { href: page, target: "_blank", rel: "noopener noreferrer", id: "verify-link", dir: "ltr", class: "address" }, page)),
      h("li", {}, language.t("booth.give")),
      h("li", {}, language.t("booth.compare")),
    ),
    digestWordsOf(words),
    picture,
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", id: "save-test", onclick: () => saveFile("test.json", text, "application/json") }, language.t("booth.save")),
      h("button", { type: "button", id: "copy-test", onclick: copy }, language.t("booth.copy")),
    ),
    copied,
    h("details", {}, h("summary", {}, language.t("booth.text")), h("pre", { tabindex: "0", class: "bytes", dir: "ltr", lang: "zxx", translate: "no", id: "test-text", role: "group", "aria-label": language.t("booth.text") }, text)),
    h("p", { class: "hint" }, language.t("booth.limits")),
    h("p", { class: "actions" }, h("button", { type: "button", class: "primary", id: "new-ballot", onclick: again }, language.t("booth.again"))),
  ];
}
