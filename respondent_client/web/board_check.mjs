// The board counted again in the browser: the comparisons of shared/board_recount.py, in plain JavaScript. The
// lines have the same codes. Nothing here asks a server for one receipt or one code: the whole lists are compared.

import { verifies } from "./ed25519.mjs";
import { Refused, SPECIFICATION_TYPE, bytesOfBase64, bytesOfHex, hex, keyBytes, openEnvelope, require, same, text } from "./envelope.mjs";
import { leafHash, proofOf, rootFromProof, sha256, treeOf } from "./merkle.mjs";

export const PASSED = "passed";
export const REFUSED = "refused";
export const NOT_RUN = "not-run";
export const COMPARE = "compare";
export const DISCREPANCY = "discrepancy";

const BOARD_TYPE = "application/vnd.roomful.board.v1+json";
const encoder = new TextEncoder();

/** Whether the collector signed that it took the ballot of a receipt (shared/acceptance.py). */
async function isAccepted({ digest: receipt, acceptance }, digest, { invited }) {
  if (!acceptance || !invited) return false;
  const message = new Uint8Array([...encoder.encode("roomful-acceptance/1"), ...bytesOfHex(digest), ...bytesOfHex(receipt)]);
  return verifies(keyBytes(invited.acceptance_key), bytesOfHex(acceptance), message);
}

/** Whether the relay signed that it took this sealed ballot, which stands beside the receipt. */
async function isPassedOn({ acceptance, sealed }, digest, { invited }) {
  const key = invited?.relay?.key;
  if (!acceptance || !sealed || !key) return false;
  const message = new Uint8Array([...encoder.encode("roomful-passed-on/1"), ...bytesOfHex(digest), ...(await sha256(sealed))]);
  return verifies(keyBytes(key), bytesOfHex(acceptance), message);
}

/** Who took the ballot of a receipt, and signed it: "proven" by the collector, "proven-relay", or "missing". */
async function whoTook(receipt, digest, specification) {
  if (await isAccepted(receipt, digest, specification)) return "proven";
  return (await isPassedOn(receipt, digest, specification)) ? "proven-relay" : "missing";
}

const CHECKPOINT = /^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n\n((?:\u2014 [^\s+]+ [A-Za-z0-9+/]+={0,2}\n)+)$/u;

/** Size and root of a signed note that is by one of these keys and about this survey. */
async function openCheckpoint(data, digest, keys) {
  const match = CHECKPOINT.exec(text(data));
  require(match && data.length <= 16384, "form");
  const [, origin, size, root, lines] = match;
  require(!/[\u0000-\u0009\u000b-\u001f]/.test(text(data)), "form");
  require(origin === `roomful-board/${digest}`, "survey");
  const rootBytes = bytesOfBase64(root);
  const message = encoder.encode(`${origin}\n${size}\n${root}\n`);
  let known = 0;
  for (const key of keys.map(keyBytes)) {
    const id = (await sha256(encoder.encode(`${origin}\n`), [1], key)).slice(0, 4);
    for (const line of lines.trimEnd().split("\n")) {
      const [, name, encoded] = line.split(" ");
      const value = bytesOfBase64(encoded);
      if (name !== origin || !same(value.slice(0, 4), id)) continue; // a witness
      require(value.length === 68 && (await verifies(key, value.slice(4), message)), "signature");
      known += 1;
    }
  }
  require(known > 0, "key");
  return { size: Number(size), root: rootBytes };
}

/** The hashes of a list, as bytes; refused unless sorted and distinct. */
export function parseHashes(data) {
  const lines = text(data);
  require(/^(?:[0-9a-f]{64}\n)*$/.test(lines.slice(0, 65 * 1000)) && data.length % 65 === 0, "form");
  const hashes = [];
  for (let at = 0, before = ""; at < lines.length; at += 65) {
    const line = lines.slice(at, at + 64);
    require(/^[0-9a-f]{64}$/.test(line) && lines[at + 64] === "\n", "form");
    require(before < line, "order");
    hashes.push(bytesOfHex(line));
    before = line;
  }
  return hashes;
}

const ROLL_HEAD = /^roomful-roll\/1 ([0-9a-f]{64})\n$/;
const ROLL_HEAD_BYTES = 80;

/** The roll: its id and its hashes, in an election a list for each box, as shared/roll.py reads it. */
async function parseRoll(data) {
  const head = ROLL_HEAD.exec(text(data.subarray(0, ROLL_HEAD_BYTES)));
  require(head, "form");
  const lists = [];
  let start = ROLL_HEAD_BYTES;
  for (let at = start; at < data.length; at += 65) {
    if (data[at] !== 10) continue; // a line that begins with its end is empty
    lists.push(data.subarray(start, at));
    at += 1;
    start = at;
  }
  lists.push(data.subarray(start));
  const boxes = lists.map(parseHashes);
  require(boxes.length === 1 || boxes.every((box) => box.length > 0), "form");
  const hashes = boxes.flat();
  require(textsOf(hashes).size === hashes.length, "form");
  return { id: bytesOfHex(head[1]), boxes, hashes, digest: hex(await sha256(data)) };
}

/** What a code shows instead of itself, and what stands on the roll for it. */
const proofOfCode = (symbols, rollId) => sha256(encoder.encode("roomful-code/1"), rollId, encoder.encode(symbols));

/** Whether one of some sorted hashes, as a set of texts, is this one. */
const textsOf = (hashes) => new Set(hashes.map(hex));

/** The discrepancy that a board with such counts must say first, or null. */
const discrepancyOf = (submissions, tokens) => (submissions > tokens ? `${submissions} submissions, ${tokens} tokens` : null);

const DIGEST = /^[0-9a-f]{64}$/;

function parseBoard(body) {
  const board = JSON.parse(text(body));
  require(JSON.stringify(board) === text(body) && board.format === "roomful-board/3", "form");
  const keys = "discrepancy,format,specification,invited,used_codes,tokens_issued,submissions,root,complaints,release";
  require(Object.keys(board).join() === keys, "form");
  const numbers = [board.invited, board.tokens_issued, board.submissions];
  if (board.release !== null) {
    require(Object.keys(board.release).join() === "data_package,groups,withheld,invalid", "form");
    numbers.push(board.release.withheld, board.release.invalid);
    for (const group of board.release.groups) {
      require(Object.keys(group).join() === "cells,people,answers" && group.cells.length > 0, "form");
      numbers.push(...group.cells, group.people, group.answers);
    }
  }
  if (board.complaints !== null) {
    require(Object.keys(board.complaints).join() === "root,admitted" && DIGEST.test(board.complaints.root), "form");
    for (const ballot of board.complaints.admitted) {
      require(Object.keys(ballot).join() === "receipt,acceptance" && DIGEST.test(ballot.receipt), "form");
      require(/^[0-9a-f]{128}$/.test(ballot.acceptance), "form");
    }
  }
  require(board.discrepancy === null || typeof board.discrepancy === "string", "form");
  require(numbers.every((number) => Number.isSafeInteger(number) && number >= 0), "form");
  return board;
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The final board of an election is its provisional one, and ballots that the collector had accepted. */
async function checkComplaints({ root, admitted }, receipts, digest, specification) {
  const named = new Set(admitted.map(({ receipt }) => receipt));
  require(admitted.every(({ receipt }, i) => i === 0 || admitted[i - 1].receipt < receipt), "admitted");
  const before = receipts.filter((entry) => !named.has(hex(entry)));
  require(before.length + named.size === receipts.length, "admitted");
  require(hex((await treeOf(before)).root) === root, "root");
  for (const { receipt, acceptance } of admitted) {
    require(await isAccepted({ digest: receipt, acceptance }, digest, specification), "acceptance");
  }
  return { provisional: before.length, admitted: named.size };
}

function checkGroups(release, specification) {
  const { groups, withheld } = release;
  const { minimum, rule, row } = specification.release;
  const place = new Map(row.map((cell, i) => [cell, i]));
  const eligible = specification.eligible.map(sum);
  const cells = groups.flatMap((group) => group.cells);
  require(new Set(cells).size === cells.length && cells.every((cell) => cell < eligible.length), "cells");
  for (const group of groups) {
    require(group.cells.every((cell, i) => i === 0 || group.cells[i - 1] < cell), "cells");
    const places = group.cells.map((cell) => place.get(cell)).sort((a, b) => a - b);
    require(places.at(-1) - places[0] === places.length - 1, "row");
    require(rule === "merge" || places.length === 1, "row");
    require(group.people === sum(group.cells.map((cell) => eligible[cell])), "people");
    require(group.answers >= minimum, "minimum");
  }
  const outside = eligible.length - cells.length;
  if (rule === "merge") require(outside === 0, "row");
  else require(withheld === 0 || (withheld >= minimum && outside > 1), "subtraction");
  const smallest = groups.length ? Math.min(...groups.map((group) => group.answers)) : 0;
  return { groups: groups.length, smallest, minimum };
}

function checkTotal(board, specification) {
  const { groups, withheld, invalid } = board.release;
  const released = sum(groups.map((group) => group.answers));
  require(released + withheld + invalid === board.submissions, "total");
  require(specification.release.rule === "withhold" || withheld === 0, "rule");
  return { released, withheld, invalid, submissions: board.submissions };
}

/** Rows of a CSV as objects by column. */
export function parseCsv(content) {
  const rows = [];
  let row = [];
  let field = "";
  let quoted = false;
  for (let i = 0; i < content.length; i += 1) {
    const character = content[i];
    if (quoted) {
      if (character !== '"') field += character;
      else if (content[i + 1] === '"') field += content[(i += 1)];
      else quoted = false;
    } else if (character === '"') {
      quoted = true;
    } else if (character === "," || character === "\n") {
      row.push(field.replace(/\r$/, ""));
      field = "";
      if (character === "\n") {
        rows.push(row);
        row = [];
      }
    } else {
      field += character;
    }
  }
  require(!quoted && row.length === 0 && field === "", "table");
  const [names, ...others] = rows;
  require(others.every((other) => other.length === names.length), "table");
  return others.map((other) => Object.fromEntries(names.map((name, i) => [name, other[i]])));
}

async function checkRelease(release, fetchReleased) {
  const data = await fetchReleased("datapackage.json");
  require(data && hex(await sha256(data)) === release.data_package, "package");
  const tables = {};
  for (const { name, hash } of JSON.parse(text(data)).resources) {
    const table = await fetchReleased(`${name}.csv`);
    require(table && `sha256:${hex(await sha256(table))}` === hash, "table");
    tables[name] = parseCsv(text(table));
  }
  const rows = new Map();
  for (const { group } of tables.microdata) rows.set(group, (rows.get(group) ?? 0) + 1);
  const groups = tables.cells.filter(({ status }) => status === "released");
  require(groups.length === release.groups.length && rows.size === groups.length, "groups");
  for (const signed of release.groups) {
    const found = groups.find((group) => group.cells === signed.cells.join(" "));
    require(found && Number(found.eligible_people) === signed.people && rows.get(found.group) === signed.answers, "groups");
  }
  return { rows: tables.microdata.length };
}

/**
 * Count a board again.
 *
 * `fetchFile(name)` gives the bytes of "specification", "board", "board/checkpoint", "board/receipts",
 * "board/roll" or "board/used-codes"; `fetchReleased(name)` those of a released file or null; `pin` is
 * {digest, key} from a link, or null; `receipt` is {survey, digest, acceptance, sealed}, or null; `code` the symbols of a code, or
 * null. Gives {lines, board, digest, key, provisional, relayed: whether a relay signs what it takes}; lines have code, outcome, figures
 * and, if refused, a reason. An error of the network is thrown.
 */
export async function verifyBoard({ fetchFile, fetchReleased, pin, receipt, code = null }) {
  const lines = [];
  const run = async (code, check) => {
    try {
      const figures = await check();
      lines.push({ code, outcome: figures ? (figures.outcome ?? PASSED) : NOT_RUN, figures: figures ?? {} });
    } catch (error) {
      if (error.name === "NetworkError") throw error;
      lines.push({ code, outcome: REFUSED, figures: {}, reason: error instanceof Refused ? error.message : "form" });
    }
  };
  const [rules, envelope, note, list, rollFile, usedFile] = await Promise.all(
    ["specification", "board", "board/checkpoint", "board/receipts", "board/roll", "board/used-codes"].map(fetchFile),
  );
  let specification, digest, key, keys, board, checkpoint, receipts, tree, roll, used;
  await run("board.survey", async () => {
    const opened = await openEnvelope(rules, SPECIFICATION_TYPE, pin ? [pin.key] : null);
    const found = hex(await sha256(opened.body));
    require(!pin || pin.digest === found, "digest");
    specification = JSON.parse(text(opened.body));
    [digest, key] = [found, opened.key];
    keys = [key, ...(specification.invited?.spare_keys ?? [])];
    return pin ? {} : { outcome: COMPARE };
  });
  if (!specification) return { lines, board: null, digest: null, key: null, provisional: false, relayed: false };
  await run("board.signature", async () => {
    const opened = await openEnvelope(envelope, BOARD_TYPE, keys);
    board = parseBoard(opened.body);
    return { further: opened.further };
  });
  await run("board.specification", () => {
    if (!board) return null;
    require(board.specification === digest && board.invited === specification.invited?.people, "survey");
    return { invited: board.invited };
  });
  await run("board.checkpoint", async () => {
    checkpoint = await openCheckpoint(note, digest, keys);
    return { size: checkpoint.size };
  });
  await run("board.receipts", () => {
    receipts = parseHashes(list);
    return { receipts: receipts.length };
  });
  await run("board.root", async () => {
    if (!receipts) return null;
    tree = await treeOf(receipts);
    require(!checkpoint || same(checkpoint.root, tree.root), "root");
    require(!board || board.root === hex(tree.root), "root");
    return board && checkpoint ? {} : null;
  });
  await run("board.submissions", () => {
    if (!receipts) return null;
    require(!checkpoint || checkpoint.size === receipts.length, "size");
    require(!board || board.submissions === receipts.length, "size");
    return board && checkpoint ? { submissions: receipts.length } : null;
  });
  await run("board.complaints", () => {
    if (!board || !receipts) return null;
    require(board.complaints === null || specification.invited?.election, "survey");
    return board.complaints === null ? null : checkComplaints(board.complaints, receipts, digest, specification);
  });
  await run("board.roll", async () => {
    if (!specification.invited) return null;
    const { codes, people } = specification.invited;
    const found = await parseRoll(rollFile);
    roll = { id: found.id, texts: textsOf(found.hashes) };
    require(found.digest === codes.digest && hex(found.id) === codes.roll_id, "roll");
    require(found.hashes.length === people, "people");
    require(found.boxes.length === specification.invited.token_keys.length, "roll");
    if (specification.invited.election) {
      const eligible = specification.eligible.map(sum);
      const exact = specification.model.kind === "public"; // of a register the people are lower bounds
      found.boxes.forEach((box, i) => require(exact ? box.length === eligible[i] : box.length >= eligible[i], "people"));
    }
    return { codes: people };
  });
  await run("board.used-codes", async () => {
    const proofs = parseHashes(usedFile);
    if (!roll) return null;
    for (const proof of proofs) require(roll.texts.has(hex(await sha256(proof))), "roll");
    used = textsOf(proofs);
    if (!board) return null;
    require(board.used_codes === hex(await sha256(usedFile)), "list");
    require(board.tokens_issued === proofs.length, "tokens");
    return { used: proofs.length };
  });
  await run("board.tokens", () => {
    if (!board) return null;
    require(board.tokens_issued <= board.invited, "tokens");
    require(board.discrepancy === discrepancyOf(board.submissions, board.tokens_issued), "tokens");
    require(board.discrepancy === null || !specification.invited?.election, "tokens");
    const figures = { tokens: board.tokens_issued, invited: board.invited, submissions: board.submissions };
    return board.discrepancy === null ? figures : { outcome: DISCREPANCY, ...figures };
  });
  await run("board.groups", () => (board?.release ? checkGroups(board.release, specification) : null));
  await run("board.total", () => (board?.release ? checkTotal(board, specification) : null));
  await run("board.release", () => (board?.release ? checkRelease(board.release, fetchReleased) : null));
  if (receipt) {
    await run("board.receipt", async () => {
      require(receipt.survey === null || receipt.survey === digest.slice(0, 16), "survey");
      require(receipts && tree && checkpoint, "list");
      const wanted = bytesOfHex(receipt.digest);
      const index = receipts.findIndex((entry) => same(entry, wanted));
      require(index >= 0, await whoTook(receipt, digest, specification));
      const proof = proofOf(tree, index);
      const root = await rootFromProof({ leaf: await leafHash(wanted), index, size: checkpoint.size, proof });
      require(root && same(root, checkpoint.root), "proof");
      return { number: index + 1, of: receipts.length };
    });
  }
  if (code) {
    await run("board.code", async () => {
      require(roll && used, "list");
      const proof = await proofOfCode(code, roll.id);
      require(roll.texts.has(hex(await sha256(proof))), "roll");
      return { used: used.has(hex(proof)) };
    });
  }
  const provisional = Boolean(board && board.complaints === null && specification.invited?.election);
  const relayed = Boolean(specification.invited?.relay?.key);
  return { lines, board: board ?? null, digest, key, provisional, relayed };
}
