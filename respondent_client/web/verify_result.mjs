// The result of an election verified on this device: by Python in a worker, with the lines of "roomful election verify".

import { h, replace } from "./dom.mjs";
import { Engine } from "./engine.mjs";

const MARKS = { passed: "✓", refused: "✗", "not-run": "–" };
const SECONDS_A_BALLOT = 0.04; // docs/election.md, "What it costs"; a telephone takes longer
const MANY = 1000; // ballots; beyond, a terminal is the better place
const TOKENS = "tokens.json";
/** Files of an export, and where a server has them. */
const PUBLISHED = {
  "specification.dsse.json": "specification",
  checkpoint: "board/checkpoint",
  "board.json": "board",
  "roll.txt": "board/roll",
  "used-codes.txt": "board/used-codes",
  "rehearsal.json": "board/rehearsal",
  "result.json": "board/result",
  "ballots.bin": "board/ballots",
};

const ignored = () => {};

/** Bytes of the chosen files that an election has, by name. */
async function given(files) {
  const known = files.filter(({ name }) => name in PUBLISHED || name === TOKENS);
  return Object.fromEntries(await Promise.all(known.map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())])));
}

function words(text) {
  return h("span", { class: "words", lang: "zxx", translate: "no" }, text.split("-").map((word) => h("span", {}, word)));
}

/** The section that verifies; `fetchBytes(path, without)` gets a file of the server, or null for some answers, `fragment` says what is pinned. */
export function offerVerification(place, { language, id, ballots, fetchBytes, fragment }) {
  const t = (key, figures = {}) => language.t(key, figures);
  let engine = null;
  /** @type {(reason: string) => void} */
  let stop = ignored;

  const chosen = h("input", { type: "file", multiple: true, id: "election-files", class: "visually-hidden", tabindex: "-1", "aria-hidden": "true", onchange: () => { const files = [...chosen.files]; chosen.value = ""; if (files.length > 0) run(() => given(files)); } });
  const minutes = Math.max(1, Math.ceil((ballots * SECONDS_A_BALLOT) / 60));
  const outcome = h("div", { id: "verified" });
  const status = h("p", { role: "status", id: "verifying", class: "quiet" });
  const start = h("button", { type: "button", class: "primary", id: "verify-result", onclick: () => run(published) }, t("verification.start"));
  const open = h("button", { type: "button", id: "verify-files", onclick: () => chosen.click() }, t("verification.files"));
  const cancel = h("button", { type: "button", id: "cancel-verification", hidden: true, onclick: () => stop("stopped") }, t("verification.cancel"));
  replace(
    place,
    h("h3", {}, t("verification.title")),
    h("p", {}, t("verification.what")),
    h("p", { class: ballots > MANY ? "notice warning" : "quiet", id: "verification-takes" }, t(ballots > MANY ? "verification.takes-long" : "verification.takes", { ballots: language.number(ballots), count: minutes })),
    h("p", { class: "actions" }, start, open, cancel),
    chosen,
    h("p", { class: "hint" }, t("verification.files.hint")),
    status,
    outcome,
  );

  async function published() {
    const files = {};
    for (const [name, path] of Object.entries(PUBLISHED)) files[name] = await fetchBytes(`api/v1/surveys/${id}/${path}`);
    const tokens = await fetchBytes(`api/v1/surveys/${id}/tokens`, [404, 409]); // this server need not be the registrar
    return tokens ? { ...files, [TOKENS]: tokens } : files;
  }

  async function run(files) {
    for (const button of [start, open]) button.disabled = true;
    cancel.hidden = false;
    cancel.focus();
    const bar = h("progress", { "aria-label": t("verification.title") });
    replace(outcome, bar);
    status.textContent = t("verification.loading");
    let report = null;
    let problem = "verification.network";
    const stopped = new Promise((_, reject) => { stop = reject; });
    try {
      const loaded = await Promise.race([files(), stopped]);
      problem = "verification.broken";
      report = await Promise.race([verify(loaded, bar), stopped]);
    } catch (reason) {
      if (reason instanceof Error) problem = engine?.failed === "network" ? "verification.network" : problem;
      else problem = "verification.cancelled";
    }
    engine?.stop();
    engine = null;
    for (const button of [start, open]) button.disabled = false;
    cancel.hidden = true;
    status.textContent = "";
    if (report) return show(report);
    replace(outcome, h("div", { class: problem === "verification.cancelled" ? "notice" : "notice error", role: "alert", "data-outcome": problem }, h("p", {}, t(problem))));
    start.focus();
  }

  /** The report of a worker of its own, which ends with it. */
  function verify(files, bar) {
    return new Promise((resolve, reject) => {
      let line = "";
      engine = new Engine({
        progress: ({ loaded, total }) => { bar.max = total; bar.value = loaded; },
        ready: () => engine.askPart("verification", { fragment: fragment() }, files).then(resolve, reject),
        failed: ({ cause }) => reject(new Error(cause)),
        notice: (notice) => {
          bar.max = notice.total;
          bar.value = notice.done;
          if (notice.line !== line) {
            line = notice.line;
            status.textContent = t("verification.running", { line: t(`verification.line.${line}`) });
          }
        },
      });
      engine.start();
    });
  }

  function show({ lines, pinned, totals, counted, groups, refused = [], root_words: root, survey_words: survey, key_words: key }) {
    const plain = { true: t("review.yes"), false: t("review.no") };
    const fault = lines.find((line) => line.outcome === "refused");
    const verdict = fault
      ? h(
          "div",
          { class: "notice error", tabindex: "-1", id: "verification-verdict", "data-outcome": "refused", "data-line": fault.line, "data-culprit": fault.culprit },
          h("h4", {}, t("verification.refused")),
          h("p", {}, t("verification.refused.line", { line: t(`verification.line.${fault.line}`) })),
          h("p", {}, h("strong", {}, t("verification.culprit"), " "), t(`verification.culprit.${fault.culprit || "nobody"}`)),
          h("p", { lang: "en", dir: "ltr", class: "detail" }, `${fault.where ? `${fault.where}: ` : ""}${fault.message} (${fault.code})`),
          h("p", {}, t("verification.refused.next")),
        )
      : h(
          "div",
          { class: `notice ${pinned ? "good" : "warning"}`, tabindex: "-1", id: "verification-verdict", "data-outcome": "passed" },
          h("h4", {}, t("verification.passed")),
          h("p", {}, t("verification.passed.meaning", { counted: language.number(counted), groups: language.number(groups) })),
          Object.entries(totals).map(([contest, votes]) => h("p", {}, h("strong", { dir: "auto" }, contest), ": ", language.items(Object.entries(votes).map(([choice, number]) => `${plain[choice] ?? choice} ${language.number(number)}`)))),
          refused.length > 0 ? h("p", {}, h("strong", {}, t("verification.not-counted", { count: refused.length }))) : null,
        );
    const compare = fault
      ? null
      : [
          h("p", {}, t("verification.compare.board")),
          words(root),
          pinned ? null : [h("p", {}, t("verification.compare.election")), words(survey), h("p", { class: "quiet" }, t("board.compare.key"), " ", words(key))],
        ];
    replace(outcome, verdict, compare, h("details", { open: Boolean(fault) }, h("summary", {}, t("verification.lines")), h("ul", { class: "checks", id: "verification-lines" }, lines.map(row))));
    /** @type {HTMLElement} */ (outcome.firstElementChild).focus();
  }

  function row({ line, outcome: found }) {
    return h(
      "li",
      { class: found, "data-line": line, "data-outcome": found },
      h("span", { class: "mark", "aria-hidden": "true" }, MARKS[found]),
      h("div", {}, h("strong", {}, t(`verification.line.${line}`)), h("p", {}, t(`verification.outcome.${found}`))),
    );
  }
}
