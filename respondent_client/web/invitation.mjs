// Step 3 of an invited survey: from the code of a letter, or a saved token, to the token that the answers will
// spend. Nothing is spent before she presses the button: programs that scan mails open links.

import { errorSummary, h, replace } from "./dom.mjs";
import { elsewhere } from "./elsewhere.mjs";
import { keep, keepOnDevice, keeps, keepsOnDevice, kept, keptMessage, wipe } from "./kept.mjs";
import { digestWordsOf } from "./checks.mjs";
import { scan } from "./scan.mjs";
import { sentBefore } from "./sending.mjs";

const PAUSES_MS = [1000, 3000]; // before the same request is sent again
const SETTLED_MS = 500; // how long she rests before a word is said about what she typed
const LARGEST_FILE = 65_536;
const OF_THE_CODE = new Set(["token.code", "token.box"]);
let resting; // the timer of what is being typed

/** What is there already when the checks are through: kept from before a reload, or held by the link. */
export async function beginInvitation(context) {
  const { engine } = context;
  const nothing = { code: "", token: null, pending: false, busy: false, keeps: keeps(), saved: false, problem: null };
  const before = kept();
  try {
    const found = await engine.ask("begin_invitation", { kept: before, message: keptMessage() });
    tell(context, nothing);
    take(context, found);
    tell(context, { other: found.other ?? false, old: before !== null && found.kept === before });
  } catch (error) {
    tell(context, { ...nothing, problem: error }); // the token in the link is not genuine
  }
}

/** Something about the invitation has changed. */
const tell = (context, changes) => context.tell({ type: "invitation", changes });

function take(context, found) {
  tell(context, { code: found.code ?? "", token: found.token ?? null, pending: found.pending ?? false, sent: found.sent ?? false, old: false, problem: null });
  if (found.kept) tell(context, { keeps: keep(found.kept) });
}

export const invitation = {
  name: "invitation",
  stage: "invitation",
  render(context) {
    const { state } = context;
    if (!state.invitation) return preparing(context);
    if (state.invitation.other) return choosing(context);
    if (state.invitation.token) return holding(context);
    return asking(context);
  },
};

/** Whether this election only exchanges codes yet: the server says so in its page. */
const exchanging = () => document.getElementById("main").dataset.state === "tokens";

function preparing(context) {
  const { language } = context;
  return [h("h1", { tabindex: "-1" }, language.t("invitation.heading")), h("p", { role: "status" }, language.t("checks.running")), actions(backButton(context))];
}

function actions(...buttons) {
  return h("p", { class: "actions" }, buttons);
}

function backButton({ language, back }) {
  return h("button", { type: "button", id: "back", onclick: back }, language.t("back"));
}

/** This tab keeps something from before, and the link brings something else: whose it is, only she can say. */
function choosing(context) {
  const { language, state } = context;
  const { token } = state.invitation;
  const useKept = () => {
    tell(context, { other: false });
    context.refresh();
  };
  // Neither is the primary button: Enter must not spend somebody else's token, or drop it.
  return [
    h("h1", { tabindex: "-1" }, language.t("which.heading")),
    h("p", {}, language.t(token ? "which.token" : "which.request")),
    h("p", {}, language.t("which.hers")),
    h("p", { class: "actions" }, h("button", { type: "button", id: "use-kept", onclick: useKept }, language.t("which.use-kept"))),
    h("div", { class: "notice warning" }, h("p", {}, language.t("which.lost"))),
    h("p", { class: "actions" }, h("button", { type: "button", id: "use-link", onclick: () => useLink(context) }, language.t("which.use-link")), backButton(context)),
  ];
}

/** Drop what was kept, and take what the link brings. */
async function useLink(context) {
  await forget(context, { refresh: false });
  await beginInvitation(context);
  context.refresh(invitation);
}

/** A token of an earlier load may be somebody else's, whatever the link says. */
function notMine(context) {
  const { language } = context;
  return h(
    "details",
    { id: "not-mine" },
    h("summary", {}, language.t("token.not-mine")),
    h("p", {}, language.t("token.not-mine.text")),
    h("p", { class: "actions" }, h("button", { type: "button", onclick: () => forget(context) }, language.t("token.forget"))),
  );
}

/** The token is there. */
function holding(context) {
  const { language, state } = context;
  return [
    h("h1", { tabindex: "-1" }, language.t("invitation.heading")),
    h("div", { class: "notice good", id: "token-there" }, h("h2", {}, language.t("token.there")), h("p", {}, language.t("token.there.text")), state.invitation.old && h("p", {}, language.t("token.old"))),
    state.invitation.sent && sentBefore(context, () => context.refresh(invitation)),
    onDevice(context),
    exchanging() && h("p", { class: "notice", id: "later" }, language.t("token.later")),
    exchanging()
      ? actions(backButton(context))
      : actions(h("button", { type: "button", class: state.invitation.sent ? null : "primary", onclick: context.next }, language.t("continue")), backButton(context)),
    state.invitation.old && notMine(context),
    elsewhere(context, () => forget(context)),
    explanations(language, state),
  ];
}

/** There is only a code, or nothing yet. */
function asking(context) {
  const { language, state } = context;
  const { code, pending, busy, problem } = state.invitation;
  const wrong = problem && !pending;
  const advice = wrong && `invitation.error.${problem.code}.text`;
  const advised = wrong && language.has(advice);
  const field = h("input", {
    type: "text",
    id: "code",
    value: code,
    dir: "ltr",
    autocomplete: "off",
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    translate: "no",
    disabled: busy || pending,
    "aria-describedby": [wrong && "code-error", advised && "code-advice", "code-hint", "code-said"].filter(Boolean).join(" "),
    "aria-invalid": wrong ? "true" : null,
    oninput: () => typed(context, field, said),
  });
  const said = h("p", { class: "hint", id: "code-said", role: "status" });
  const scanner = h("div", { id: "scanner" });
  const file = h("input", { type: "file", id: "token-file", class: "visually-hidden", tabindex: "-1", "aria-hidden": "true", accept: ".json,.txt,application/json,text/plain,image/*", onchange: () => opened(context, file) });
  if (code && !problem) look(context, field, said);
  return [
    wrong && errorSummary(language.t("errors.heading", { count: 1 }), [{ field: "code", message: words(language, problem) }]),
    h("h1", { tabindex: "-1" }, language.t("invitation.heading")),
    h("p", { class: "promise" }, language.t("invitation.promise")),
    busy && h("p", { class: "notice", role: "status" }, language.t("invitation.asking")),
    pending && !busy && unanswered(context, problem),
    h(
      "form",
      { autocomplete: "off", novalidate: true, onsubmit: (event) => submit(event, context, field) },
      h(
        "div",
        { class: wrong ? "field wrong" : "field" },
        h("label", { for: "code" }, language.t("invitation.code")),
        h("p", { class: "hint", id: "code-hint" }, language.t("invitation.code.hint")),
        wrong && h("p", { class: "field-error", id: "code-error" }, h("span", { class: "visually-hidden" }, language.t("errors.prefix"), " "), words(language, problem)),
        advised && h("p", { id: "code-advice" }, language.t(advice)),
        field,
        said,
      ),
      compared(language, state.words),
      state.survey.invited.election && h("p", { id: "own-group" }, language.t("invitation.group", { group: language.number(state.room.cell) })),
      !pending && h("p", { class: "notice warning", id: "spends" }, language.t("invitation.spends")),
      onDevice(context),
      actions(h("button", { type: "submit", class: "primary", id: "get-token", disabled: busy }, language.t(pending ? "invitation.again" : "invitation.get")), backButton(context)),
    ),
    !pending && [
      h("h2", {}, language.t("invitation.ways")),
      file,
      actions(
        h("button", { type: "button", id: "scan", disabled: busy, onclick: () => scanned(context, scanner) }, language.t("invitation.scan")),
        h("button", { type: "button", id: "open-token", disabled: busy, onclick: () => file.click() }, language.t("invitation.open")),
      ),
      scanner,
    ],
    explanations(language, state),
  ];
}

/** Whether what is kept may outlive this tab; never unless she asks, for a device may be somebody else's too. */
function onDevice({ language }) {
  const said = h("p", { class: "field-error", role: "status" });
  const choose = ({ target }) => {
    const done = keepOnDevice(target.checked);
    replace(said, done ? null : language.t("invitation.device.not"));
    target.checked = keepsOnDevice();
  };
  return h(
    "div",
    { class: "field" },
    h("label", { class: "choice" }, h("input", { type: "checkbox", id: "on-device", checked: keepsOnDevice(), "aria-describedby": "on-device-hint", onchange: choose }), h("span", {}, language.t("invitation.device"))),
    h("p", { class: "hint counted", id: "on-device-hint" }, language.t("invitation.device.hint")),
    said,
  );
}

/** The words stand on the letter beside the code. */
function compared(language, words) {
  return h("div", { id: "letter-words" }, h("p", { class: "hint" }, language.t("invitation.words")), digestWordsOf(words));
}

/** The request has no answer yet: only the same one may be sent again. */
function unanswered(context, problem) {
  const { language } = context;
  return h(
    "div",
    { class: problem ? "notice error" : "notice warning", role: "alert", tabindex: "-1", id: "unanswered", "data-code": problem?.code ?? "" },
    h("h2", {}, problem ? words(language, problem) : language.t("invitation.unfinished")),
    h("p", {}, language.t("invitation.unanswered")),
    h(
      "details",
      {},
      h("summary", {}, language.t("invitation.another")),
      h("p", {}, language.t("invitation.another.text")),
      h("button", { type: "button", id: "another-code", onclick: () => forget(context) }, language.t("invitation.another.button")),
    ),
  );
}

function explanations(language, { invitation: { keeps } }) {
  const list = (key, count) => h("ul", {}, Array.from({ length: count }, (_, i) => h("li", {}, language.t(`${key}.${i + 1}`))));
  return [
    h("details", {}, h("summary", {}, language.t("invitation.spent")), list("invitation.spent", 4)),
    h("details", { open: !keeps }, h("summary", {}, language.t("invitation.kept")), keeps ? list("invitation.kept", 4) : h("p", { class: "notice warning" }, language.t("invitation.kept.not"))),
  ];
}

/** What went wrong, in words; the code is for whoever is asked for help. */
function words(language, { code: whole, look: seen }) {
  const code = whole.startsWith("state.") && !language.has(`invitation.error.${whole}`) ? "state" : whole;
  if (code === "token.code-form" && seen) return codeWords(language, seen);
  return language.has(`invitation.error.${code}`) ? language.t(`invitation.error.${code}`) : language.t("invitation.error.unknown", { code });
}

function codeWords(language, { symbols, wanted, foreign, good }) {
  const figures = { count: symbols, wanted: language.number(wanted) };
  if (good) return language.t("invitation.code.good");
  if (foreign) return language.t("invitation.code.foreign", { characters: language.list([...foreign].map((text) => language.t("quoted", { text }))) });
  if (symbols < wanted) return language.t("invitation.code.short", figures);
  if (symbols > wanted) return language.t("invitation.code.long", figures);
  return language.t("invitation.code.wrong");
}

const notACode = (text) => text.includes("#") || text.startsWith("{") || text.length > 200;

function typed(context, field, said) {
  tell(context, { code: field.value });
  clearTimeout(resting);
  resting = setTimeout(() => look(context, field, said), SETTLED_MS);
}

/** Say of a code, while it is typed, how far it is and whether it can be right. */
async function look({ language, engine }, field, said) {
  const text = field.value.trim();
  if (!text || notACode(text)) return replace(said);
  const seen = await engine.ask("look_at_code", { text });
  if (field.value.trim() !== text) return;
  replace(said, codeWords(language, seen));
  said.classList.toggle("well", seen.good);
  if (seen.good) field.value = seen.text;
}

async function submit(event, context, field) {
  event.preventDefault();
  const { state, engine } = context;
  const { busy, pending } = state.invitation;
  if (busy) return;
  clearTimeout(resting);
  const text = field.value.trim();
  if (!pending) {
    tell(context, { code: text });
    if (!text) return failed(context, { code: "empty" });
  }
  tell(context, { busy: true, problem: null });
  context.refresh();
  try {
    const found = pending ? { pending: true } : await engine.ask("use_invitation", { text });
    if (found.kept) tell(context, { keeps: keep(found.kept) }); // before the code can be spent
    tell(context, { code: found.code || state.invitation.code, pending: found.pending ?? false });
    const token = found.pending ? await fetchToken(engine) : found;
    tell(context, { busy: false });
    take(context, token);
    context.refresh(invitation);
  } catch (error) {
    tell(context, { busy: false });
    if (OF_THE_CODE.has(error.code)) {
      tell(context, { pending: false });
      wipe();
    }
    if (error.code === "token.code-form" && !notACode(text)) error.look = await engine.ask("look_at_code", { text });
    failed(context, error);
  }
}

function failed(context, problem) {
  tell(context, { problem });
  context.refresh(invitation);
  document.getElementById("unanswered")?.focus();
}

/** The same request again after a lost connection: the registrar gives the same answer. */
async function fetchToken(engine) {
  for (const pause of PAUSES_MS) {
    try {
      return await engine.ask("fetch_token");
    } catch (error) {
      if (error.code !== "remote.unreachable") throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return engine.ask("fetch_token");
}

/** What was scanned or opened: a token is taken at once, a code only put into the field. */
async function offered(context, text) {
  try {
    const found = await context.engine.ask("use_invitation", { text });
    if (found.token) take(context, found);
    else tell(context, { code: found.code, problem: null });
    context.refresh(invitation);
    if (!found.token) document.getElementById("get-token")?.focus();
  } catch (error) {
    failed(context, error);
  }
}

async function scanned(context, place) {
  const text = await scan(place, context.language, { accept: (value) => value.includes("#") || value.length <= 40 });
  if (text === null) return place.isConnected && !place.hasChildNodes() ? document.getElementById("scan")?.focus() : undefined;
  await offered(context, text);
}

async function opened(context, input) {
  const [file] = input.files;
  input.value = "";
  if (!file) return;
  let text = null;
  try {
    if (file.type.startsWith("image/")) text = await (await import("./scan.mjs")).codeInPicture(file);
    else if (file.size <= LARGEST_FILE) text = await file.text();
  } catch {
    text = null;
  }
  if (text === null) return failed(context, { code: "file" });
  await offered(context, text);
}

async function forget(context, { refresh = true } = {}) {
  wipe();
  context.changed();
  take(context, await context.engine.ask("forget_invitation"));
  tell(context, { saved: false, old: false, other: false });
  if (refresh) context.refresh(invitation);
}
