// A second device makes a ballot again that a voter tests. What she gives stays in this page: no storage, no request with it.

import { loadingNote } from "./about.mjs";
import { digestWordsOf } from "./checks.mjs";
import { h, replace } from "./dom.mjs";
import { Engine } from "./engine.mjs";
import { pinned, takeAlong, takeFragment } from "./fragment.mjs";
import { chooseLanguage } from "./language.mjs";
import { tellLost } from "./lost.mjs";
import { scan } from "./scan.mjs";

const page = document.getElementById("main");
const screen = document.getElementById("screen");
const loading = document.getElementById("loading");
const LARGEST_FILE = 65_536;
const FORMAT = "roomful-test/1";
const context = { language: null, fragment: "", state: { progress: { loaded: 0, total: 0 }, refused: null, tried: false, asked: null, survey: null, lines: [] } };

const engine = new Engine({
  progress: (progress) => { context.state.progress = progress; showLoading(); },
  ready: open,
  failed: showLoading,
  notice: () => {},
});

function showLoading() {
  replace(loading, loadingNote({ ...context, engine }));
}

/** Every check of a voter's device, with the recount of a public model. */
async function open() {
  showLoading();
  const fragment = pinned(context.fragment);
  try {
    const given = { base: new URL(page.dataset.base, location.href).href, survey: page.dataset.id, fragment };
    take(await engine.ask("open", given));
  } catch (error) {
    refuse(error);
  }
}

async function take(found) {
  if (found.refused) return refuse(found.refused.error);
  if (found.compare) return compare(found);
  if (!found.sound) return engine.ask("recount").then(take, refuse);
  replace(loading);
  draw();
}

/** A link that pins nothing: the words of the election are compared by the person. */
function compare({ words }) {
  const { language } = context;
  replace(loading);
  replace(screen, h("div", { class: "notice" }, h("p", {}, language.t("compare.text")), digestWordsOf(words), h("p", { class: "actions" }, h("button", { type: "button", id: "words-match", onclick: confirmWords }, language.t("compare.match")))));
}

function confirmWords() {
  replace(screen); // pressed twice, it would be drawn twice, and take what stands in it
  showLoading();
  engine.ask("confirm_words").then(take, refuse);
}

function refuse(error) {
  if (engine.failed) return; // the note below says why
  const { language } = context;
  const keys = error.code === "remote.unreachable" ? ["refused.remote.unreachable", "meaning.remote.unreachable"] : ["verify.refused"];
  replace(loading);
  replace(screen, h("div", { class: "notice error", role: "alert", id: "refusal", "data-code": error.code }, keys.map((key) => h("p", {}, language.t(key))), h("p", { lang: "en", dir: "ltr", class: "detail" }, `${error.code}: ${error.message}`)));
}

function draw() {
  const { language } = context;
  const field = h("textarea", { id: "test", rows: "5", spellcheck: "false", autocomplete: "off", autocapitalize: "off", dir: "ltr", "aria-describedby": "test-hint" });
  const saved = h("input", { type: "file", accept: ".json,application/json", id: "saved", class: "visually-hidden", tabindex: "-1", "aria-hidden": "true", onchange: async () => {
    const [file] = saved.files;
    saved.value = "";
    if (!file) return;
    field.value = file.size <= LARGEST_FILE ? await file.text() : "";
    await check(field.value);
  } });
  const scanner = h("div", { id: "scanner" });
  const scanned = async () => {
    const found = await scan(scanner, language, { accept: (value) => value.includes(FORMAT) });
    if (found === null) return;
    field.value = found;
    await check(found);
  };
  replace(
    screen,
    h("div", { class: "field" }, h("label", { for: "test" }, language.t("verify.test.label")), h("p", { class: "hint", id: "test-hint" }, language.t("verify.test.hint")), field, saved),
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", class: "primary", id: "check", onclick: () => check(field.value) }, language.t("verify.check")),
      h("button", { type: "button", id: "scan", onclick: scanned }, language.t("board.scan")),
      h("button", { type: "button", id: "open-file", onclick: () => saved.click() }, language.t("verify.file")),
    ),
    scanner,
    h("p", { class: "quiet" }, language.t("verify.stays")),
    h("div", { id: "outcome", "aria-live": "polite" }),
  );
}

async function check(text) {
  const { language } = context;
  const outcome = document.getElementById("outcome");
  try {
    show(outcome, await engine.ask("check_ballot", { text }));
  } catch {
    if (engine.failed) return;
    replace(outcome, h("div", { class: "notice error", role: "alert", tabindex: "-1" }, h("p", {}, language.t("verify.malformed"))));
  }
  /** @type {HTMLElement} */ (outcome.firstElementChild).focus();
}

/** What the ballot says; whether it is what she chose, only she can tell. */
function show(outcome, { words, cell, genuine, answers }) {
  const { language } = context;
  const plain = { true: language.t("review.yes"), false: language.t("review.no") };
  replace(
    outcome,
    h(
      "div",
      { class: `notice ${genuine ? "" : "error"}`, tabindex: "-1", id: "rebuilt" },
      h("h2", {}, language.t("verify.rebuilt")),
      digestWordsOf(words),
      h("p", {}, language.t("verify.same")),
      h(
        "dl",
        { class: "facts" },
        answers.map(({ title, texts }) => [h("dt", {}, language.survey(title)), h("dd", {}, language.list(language.survey(texts).map((value) => plain[value] ?? value)))]),
        h("dt", {}, language.t("review.group")),
        h("dd", {}, language.number(cell)),
      ),
      genuine ? null : h("p", {}, h("strong", {}, language.t("verify.token"))),
    ),
    h("p", {}, language.t("verify.differs")),
    h("p", { class: "hint" }, language.t("booth.limits")),
  );
}

async function main() {
  context.fragment = takeFragment();
  takeAlong(() => pinned(context.fragment));
  context.language = await chooseLanguage(page.dataset.language);
  showLoading();
  engine.start();
}

main().catch(() => tellLost(() => location.reload()));
