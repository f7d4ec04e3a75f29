// The last step: the receipt, what it is good for, and the way to wipe everything.

import { receiptFile } from "./board_receipt.mjs";
import { codePicture } from "./code.mjs";
import { h, replace } from "./dom.mjs";
import { saveFile } from "./saving.mjs";

export const receipt = {
  name: "receipt",
  stage: "receipt",
  render(context) {
    const { language, state } = context;
    const { text, relayed, earlier } = state.receipt;
    if (forgotten()) return [h("h1", { tabindex: "-1" }, language.t("trial.preview")), wiping(context)];
    const outcome = earlier ? (relayed ? "earlier-relayed" : "earlier") : relayed ? "relayed" : text ? "sealed" : "text";
    return [
      h("h1", { tabindex: "-1" }, language.t(relayed ? "receipt.heading-relayed" : "receipt.heading")),
      h("p", { class: "notice good" }, language.t(`receipt.${outcome}`)),
      text ? ofBallot(context) : ofAnswers(context),
      h("h2", {}, language.t("receipt.wipe")),
      h("p", {}, language.t("receipt.wipe.text")),
      wiping(context),
    ];
  },
};

/** Whether this is an organizer's preview, which checks answers and stores none. */
const forgotten = () => document.querySelector("#trial[data-trial=preview]") !== null;

/** Asked once more, and never the primary button: Enter must not wipe what may be all that she has. */
function wiping({ language, startOver }) {
  const place = h("div", { id: "wiping" });
  const sure = h("button", { type: "button", id: "wipe", onclick: startOver }, language.t("receipt.wipe.sure"));
  const ask = () => {
    replace(place, h("p", { role: "status" }, language.t("receipt.wipe.lost")), h("p", { class: "actions" }, sure));
    sure.focus();
  };
  replace(place, h("p", { class: "actions" }, h("button", { type: "button", id: "start-over", onclick: ask }, language.t("receipt.over"))));
  return place;
}

function code(parts) {
  return h("p", { class: "code", dir: "ltr", lang: "zxx", translate: "no", id: "receipt" }, parts.map((part) => h("span", {}, part)));
}

/** Of an open survey: digits that the server knows too. */
function ofAnswers({ language, state }) {
  return [
    h("h2", {}, language.t("receipt.yours")),
    code(state.receipt.receipt.match(/.{8}/g)),
    h("p", {}, language.t("receipt.meaning")),
    h("p", {}, language.t("receipt.not")),
  ];
}

/** Of an invited survey: text, code and file, to be looked up on the public board after closing. */
function ofBallot({ language, state }) {
  const { text, board, ballot, relayed } = state.receipt;
  const [word, survey, digest, acceptance] = text.split(":");
  const picture = h("figure", { class: "sheet", "aria-busy": "true" });
  codePicture(text, language.t("receipt.code")).then((svg) => {
    replace(picture, svg);
    picture.removeAttribute("aria-busy");
  }, () => picture.remove());
  const proves = ["receipt.proves", ...(acceptance ? [relayed ? "receipt.signed-relay" : "receipt.signed"] : []), ...(ballot ? ["receipt.complain"] : []), "receipt.proves-not"];
  const lines = [...proves, "receipt.find"].map((key) => language.t(key));
  const title = language.survey(state.survey.title);
  const save = () => saveFile(`roomful-receipt-${survey.toLowerCase()}.txt`, receiptFile({ title, text, link: board, lines, ballot }));
  return [
    h("h2", {}, language.t("receipt.yours")),
    code([`${word}:`, `${survey}:`, ...digest.match(/.{8}/g)]),
    picture,
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", class: "primary", id: "save-receipt", onclick: save }, language.t("receipt.save")),
      h("button", { type: "button", id: "print-receipt", onclick: () => window.print() }, language.t("receipt.print")),
    ),
    h("ul", {}, proves.map((key) => h("li", {}, language.t(key)))),
    h("p", {}, language.t("receipt.find"), " ", h("a", { href: board, id: "board-link", target: "_blank", rel: "noopener noreferrer" }, language.t("receipt.board"))),
  ];
}
