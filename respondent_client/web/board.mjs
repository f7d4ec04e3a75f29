// The public board's page. What she pastes or scans stays in this page: no storage, no address, no request with it.

import { COMPARE, DISCREPANCY, NOT_RUN, PASSED, REFUSED, verifyBoard } from "./board_check.mjs";
import { parseCode } from "./board_code.mjs";
import { parsePin, parseReceipt, receiptText, sealedBallot, sealedBytes } from "./board_receipt.mjs";
import { h, replace } from "./dom.mjs";
import { canVerify } from "./ed25519.mjs";
import { bytesOfHex, keyText } from "./envelope.mjs";
import { takeAlong } from "./fragment.mjs";
import { chooseLanguage } from "./language.mjs";
import { tellLost } from "./lost.mjs";
import { scan } from "./scan.mjs";
import { digestWords } from "./words.mjs";

const page = document.getElementById("main");
const place = document.getElementById("lookup");
const MARKS = { [PASSED]: "✓", [REFUSED]: "✗", [COMPARE]: "?", [DISCREPANCY]: "!", [NOT_RUN]: "–" };
const LARGEST_FILE = 131_072; // of a saved receipt, with the sealed ballot of an election
const state = { language: null, pin: parsePin(location.hash), question: null, saved: null };

class NetworkError extends Error {
  name = "NetworkError";
}

/** A file of the server; null where it answers with a status that says `without` it. */
async function fetchBytes(path, without = []) {
  let response;
  try {
    response = await fetch(new URL(`${page.dataset.base}${path}`, location.href), {
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "error",
      cache: "no-store",
    });
  } catch {
    throw new NetworkError(path);
  }
  if (without.includes(response.status)) return null;
  if (!response.ok) throw new NetworkError(path);
  return new Uint8Array(await response.arrayBuffer());
}

const id = page?.dataset.id;
const files = {
  fetchFile: (name) => fetchBytes(`api/v1/surveys/${id}/${name}`),
  fetchReleased: (name) => fetchBytes(`s/${id}/release/${encodeURIComponent(name)}`, [404]),
};

function draw() {
  const { language } = state;
  const t = (key, figures) => language.t(key, figures);
  const field = h("textarea", { id: "receipt", rows: "4", spellcheck: "false", autocomplete: "off", autocapitalize: "off", dir: "ltr", "aria-describedby": "receipt-hint" });
  const code = h("input", { type: "text", id: "code", spellcheck: "false", autocomplete: "off", autocapitalize: "off", autocorrect: "off", dir: "ltr", translate: "no", "aria-describedby": "code-hint" });
  const saved = h("input", { type: "file", accept: ".txt,text/plain,image/*", id: "saved", class: "visually-hidden", tabindex: "-1", "aria-hidden": "true", onchange: () => opened(saved, field) });
  replace(
    place,
    h("h2", {}, t("board.find")),
    h(
      "div",
      { class: "field" },
      h("label", { for: "receipt" }, t("board.receipt.label")),
      h("p", { class: "hint", id: "receipt-hint" }, t("board.receipt.hint")),
      field,
      saved,
    ),
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", class: "primary", id: "look", onclick: () => look(field.value) }, t("board.look")),
      h("button", { type: "button", id: "scan", onclick: () => scanned(field) }, t("board.scan")),
      h("button", { type: "button", id: "open-file", onclick: () => saved.click() }, t("board.open-file")),
      h("button", { type: "button", id: "count", onclick: () => check({}) }, t("board.count")),
    ),
    h("div", { id: "scanner" }),
    h("p", { class: "quiet" }, t("board.stays")),
    h("h2", {}, t("board.find-code")),
    h(
      "form",
      { autocomplete: "off", onsubmit: (event) => (event.preventDefault(), lookForCode(code.value)) },
      h("div", { class: "field" }, h("label", { for: "code" }, t("board.code.label")), h("p", { class: "hint", id: "code-hint" }, t("board.code.hint")), code),
      h("p", { class: "actions" }, h("button", { type: "submit", id: "look-code" }, t("board.look-code"))),
    ),
    h("p", { class: "quiet" }, t("board.code.stays")),
    h("div", { id: "outcome", "aria-live": "polite" }),
  );
}

async function scanned(field) {
  const found = await scan(document.getElementById("scanner"), state.language, { accept: (value) => parseReceipt(value) !== null });
  if (found === null) return document.getElementById("scanner").hasChildNodes() ? undefined : document.getElementById("scan").focus();
  field.value = found;
  await look(found);
}

async function opened(input, field) {
  const [file] = input.files;
  input.value = "";
  if (!file) return;
  let found = null;
  try {
    if (file.type.startsWith("image/")) found = await (await import("./scan.mjs")).codeInPicture(file);
    else if (file.size <= LARGEST_FILE) found = await file.text();
  } catch {
    found = null;
  }
  if (found === null) return problem("board.problem.file");
  const receipt = parseReceipt(found);
  state.saved = receipt && { digest: receipt.digest, sealed: sealedBallot(found) };
  const pin = parsePin(found);
  if (pin?.digest.startsWith(id)) state.pin = pin; // another survey's file is told by its receipt
  field.value = receipt ? found.match(/ROOMFUL-RECEIPT[\s\S]{0,120}/i)?.[0].split(/\r?\n/)[0] ?? found : found;
  await look(found);
}

/** The sealed ballot of a receipt, if the file that was opened is of this very one. */
const sealedOf = (receipt) => (receipt && state.saved?.digest === receipt.digest ? state.saved.sealed : null);

function outcome(...children) {
  const target = document.getElementById("outcome");
  replace(target, children);
  const focused = /** @type {HTMLElement} */ (target.querySelector("[tabindex]"));
  focused?.focus();
  focused?.scrollIntoView({ block: "start" });
}

function problem(key) {
  state.question = null;
  outcome(h("div", { class: "notice error", role: "alert", tabindex: "-1" }, h("p", {}, state.language.t(key))));
}

async function look(value) {
  const receipt = parseReceipt(value);
  if (!receipt) return problem(value.trim() ? "board.problem.receipt" : "board.problem.empty");
  await check({ receipt });
}

async function lookForCode(value) {
  const code = parseCode(value);
  if (!code) return problem(value.trim() ? "board.problem.code" : "board.problem.no-code");
  await check({ code });
}

/** Count again for what is asked; an answer that comes after the next question is not shown. */
async function check(question) {
  const { language } = state;
  state.question = question;
  outcome(h("p", { role: "status" }, language.t("board.checking")), h("progress", { "aria-label": language.t("board.checking") }));
  let say;
  try {
    say = await answer(question);
  } catch {
    say = () => problem("board.problem.network");
  }
  if (state.question === question) say();
}

async function answer({ receipt = null, code = null }) {
  if (!(await canVerify())) return () => problem("board.problem.browser");
  const sealed = sealedOf(receipt);
  const taken = receipt && { ...receipt, sealed: sealed && sealedBytes(sealed) };
  const found = await verifyBoard({ ...files, pin: state.pin, receipt: taken, code });
  return () => show(found, { receipt, code });
}

/** The verdict in a sentence, then what was compared. */
function show({ lines, board, digest, key, provisional, relayed }, { receipt, code }) {
  const { language } = state;
  const t = (name, figures) => language.t(name, figures);
  const last = receipt || code ? lines.find((line) => line.code === (receipt ? "board.receipt" : "board.code")) : null;
  const discrepancy = lines.find((line) => line.outcome === DISCREPANCY);
  const refused = lines.filter((line) => line.outcome === REFUSED);
  const compare = lines.some((line) => line.outcome === COMPARE);
  const good = refused.length === 0;
  const alone = refused.length === 1 && last?.outcome === REFUSED;
  const verdict = good ? goodVerdict(last) : alone ? `board.verdict.${missing(last)}` : "board.verdict.refused";
  // What a relay signed is the sealed ballot: without the saved file nothing is proven yet.
  const needsFile = verdict === "board.verdict.missing" && relayed && receipt?.acceptance && !sealedOf(receipt);
  const figures = last?.figures ? { number: language.number(last.figures.number ?? 0), of: language.number(last.figures.of ?? 0) } : {};
  outcome(
    discrepancy ? discrepancyNotice(discrepancy.figures) : null,
    h(
      "div",
      { class: `notice ${good ? (compare || discrepancy ? "warning" : "good") : "error"}`, tabindex: "-1", id: "verdict", "data-outcome": good ? (compare ? COMPARE : PASSED) : REFUSED },
      h("h2", {}, t(verdict, figures)),
      h("p", {}, t(`${verdict}.meaning`, figures)),
      good && receipt ? h("p", {}, t("board.not-content")) : null,
      good ? null : h("p", {}, t("board.tell", { code: refused[0].code })),
    ),
    verdict.startsWith("board.verdict.proven") || needsFile ? complaint(provisional, receipt) : null,
    compare && good ? [h("p", {}, t("board.compare")), words(digest), h("p", { class: "quiet" }, t("board.compare.key"), " ", words(keyHex(key)))] : null,
    board ? [h("h3", {}, t("board.same.heading")), h("p", {}, t("board.same")), words(board.root)] : null,
    h(
      "details",
      { open: !good },
      h("summary", {}, t("board.details")),
      h("ul", { class: "checks" }, lines.map(line)),
    ),
  );
}

/** How the ballot comes back while the board of an election is provisional; nothing is sent before she says so. */
function complaint(provisional, receipt) {
  if (!provisional) return null;
  const { language } = state;
  const t = (key) => language.t(key);
  const place = h("div", { id: "complaint", class: "notice warning" }, h("h3", {}, t("board.complain")));
  const sealed = sealedOf(receipt);
  if (!sealed) {
    place.append(h("p", {}, t("board.complain.open")));
    return place;
  }
  const told = h("p", { role: "status", id: "complained" });
  const send = h("button", { type: "button", class: "primary", id: "complain", onclick: async () => {
    send.disabled = true;
    const answer = await sendComplaint(receipt.acceptance, sealed);
    told.textContent = t(`board.complain.${answer}`);
    told.dataset.outcome = answer;
    send.disabled = answer !== "network";
  } }, t("board.complain.send"));
  place.append(h("p", {}, t("board.complain.text")), h("p", { class: "actions" }, send), told);
  return place;
}

/** "admitted", "listed", "final", "spent", "refused" or "network". */
async function sendComplaint(acceptance, sealed) {
  try {
    const response = await fetch(new URL(`${page.dataset.base}api/v1/surveys/${id}/complaints`, location.href), {
      method: "POST",
      headers: { "Content-Type": "application/vnd.roomful.complaint" },
      body: new Uint8Array([...bytesOfHex(acceptance), ...sealedBytes(sealed)]),
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "error",
    });
    if (response.status === 201) return "admitted";
    if (response.status === 200) return "listed";
    if (response.status >= 500) return "network";
    const { code } = await response.json();
    return { "state.final": "final", "token.spent": "spent" }[code] ?? "refused";
  } catch {
    return "network";
  }
}

function goodVerdict(last) {
  if (!last) return "board.verdict.counted";
  if (last.code === "board.receipt") return "board.verdict.found";
  return last.figures.used ? "board.verdict.code-used" : "board.verdict.code-unused";
}

function missing(last) {
  if (last.code === "board.code") return "other-code";
  return { survey: "other-survey", proven: "proven", "proven-relay": "proven-relay" }[last.reason] ?? "missing";
}

/** What the organizer signed although it contradicts itself, before anything else. */
function discrepancyNotice({ submissions, tokens }) {
  const { language } = state;
  const figures = { submissions: language.number(submissions), tokens: language.number(tokens) };
  return h("div", { class: "notice error", id: "discrepancy" }, h("p", {}, h("strong", {}, language.t("board.discrepancy", figures)), " ", language.t("board.discrepancy.meaning")));
}

function line({ code, outcome: found, figures, reason }) {
  const { language } = state;
  const numbers = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, typeof value === "number" ? language.number(value) : value]));
  const passed = code === "board.code" ? `board.code.${figures.used ? "used" : "unused"}` : `${code}.passed`;
  const said = found === PASSED ? language.t(passed, numbers) : found === REFUSED ? language.t(`${code}.refused`) : language.t(`board.outcome.${found}`, numbers);
  return h(
    "li",
    { class: found, "data-code": code, "data-outcome": found, "data-reason": reason ?? null },
    h("span", { class: "mark", "aria-hidden": "true" }, MARKS[found]),
    h("div", {}, h("strong", {}, language.t(`${code}.name`)), h("p", {}, said)),
  );
}

function words(digits) {
  return h("span", { class: "words", lang: "zxx", translate: "no" }, digestWords(digits).split("-").map((word) => h("span", {}, word)));
}

function keyHex(key) {
  const bytes = Uint8Array.from(atob(`${key.replaceAll("-", "+").replaceAll("_", "/")}=`), (c) => c.charCodeAt(0));
  return keyText(bytes) === key ? Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") : "";
}

/** Take the receipt of a link out of the address, put it into the field and look for it; what is pinned stays. */
async function takeLink() {
  const brought = parseReceipt(location.hash);
  state.pin = parsePin(location.hash) ?? state.pin;
  history.replaceState(null, "", `${location.pathname}${location.search}${pinned()}`);
  if (!brought) return;
  receiptField().value = receiptText(brought.survey ?? id, brought);
  await look(receiptField().value);
}

const receiptField = () => /** @type {HTMLInputElement} */ (document.getElementById("receipt"));
const pinned = () => (state.pin ? `#${state.pin.digest}.${state.pin.key}` : "");

/** What the page in another language gets: what is pinned and the receipt that stands in the field now. */
function present() {
  const receipt = parseReceipt(receiptField()?.value ?? location.hash); // its field may not be there yet
  const written = receipt && receiptText(receipt.survey ?? id, receipt);
  return [pinned().slice(1), written].filter(Boolean).join(".");
}

/** Of an election with a result; the program for it comes when somebody wants it. */
async function offerVerification() {
  const section = document.getElementById("verification");
  if (!section) return;
  const { language } = state;
  let program;
  try {
    program = await import("./verify_result.mjs");
  } catch {
    return replace(section, h("p", { class: "notice error", role: "alert" }, language.t("scan.lost")));
  }
  program.offerVerification(section, { language, id, ballots: Number(section.dataset.ballots), fetchBytes, fragment: () => pinned() });
}

async function main() {
  takeAlong(present);
  state.language = await chooseLanguage(page.dataset.language);
  draw();
  window.addEventListener("hashchange", takeLink);
  await Promise.all([takeLink(), offerVerification()]);
}

if (place) main().catch(() => tellLost(() => location.reload()));
