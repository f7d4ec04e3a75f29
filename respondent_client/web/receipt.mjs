// Step 7: the receipt, and the way to wipe everything.

import { h } from "./dom.mjs";

export const receipt = {
  name: "receipt",
  stage: "receipt",
  render(context) {
    const { language, state } = context;
    const { receipt: digest, earlier } = state.receipt;
    return [
      h("h1", { tabindex: "-1" }, language.t("receipt.heading")),
      h("p", { class: "notice good" }, language.t(earlier ? "receipt.earlier" : "receipt.text")),
      h("h2", {}, language.t("receipt.yours")),
      h("p", { class: "code", dir: "ltr", lang: "zxx", translate: "no", id: "receipt" }, digest.match(/.{8}/g).map((part) => h("span", {}, part))),
      h("p", {}, language.t("receipt.meaning")),
      h("p", {}, language.t("receipt.not")),
      h("h2", {}, language.t("receipt.wipe")),
      h("p", {}, language.t("receipt.wipe.text")),
      h("p", { class: "actions" }, h("button", { type: "button", class: "primary", id: "start-over", onclick: context.startOver }, language.t("receipt.over"))),
    ];
  },
};
