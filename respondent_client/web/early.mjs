// What can be said of a survey before Python is there: signed by the organizer, the very one of the invitation, and asking
// nothing that this page does not know. Then "About you" may be filled in while the rest is loaded and checked.
//
// This look can only spare her waiting. It refuses nothing: whatever it does not know it leaves to Python, which checks
// the very same bytes again, and everything else, before a group is shown or anything is sent.

import { SPECIFICATION_TYPE, hex, openEnvelope, text } from "./envelope.mjs";
import { sha256 } from "./merkle.mjs";
import { request } from "./request.mjs";
import { digestWords } from "./words.mjs";

const FREE_TEXT = ["comment", "text:text"];
const LARGEST = 12 * 1024 * 1024; // MAX_ENVELOPE_BYTES of shared/limits.py

/** @typedef {Record<string, readonly string[]>} Fields by the word of an element, as in ELEMENTS of shared/questions */

/**
 * The specification as the server gives it, and what it asks, or null where only Python can tell.
 *
 * @param {{ base: string, survey: string, fragment: string }} link
 * @param {Fields} known
 */
export async function lookEarly({ base, survey, fragment }, known) {
  const url = `${base}api/v1/surveys/${survey}/specification`;
  const [status, bytes] = await request("GET", url, null, "", LARGEST);
  if (status !== 200) return { fetched: null, asked: null };
  let asked = null;
  try {
    asked = await askedBy(bytes, fragment, known);
  } catch {
    // Python says what is wrong.
  }
  return { fetched: { url, bytes }, asked };
}

/**
 * The fields of "About you", if the envelope is signed by the key of the link and holds the specification that it names;
 * with words to be compared, if the link leaves out one of them.
 *
 * @param {Uint8Array} bytes
 * @param {string} fragment
 * @param {Fields} known
 */
export async function askedBy(bytes, fragment, known) {
  const [pinned, key] = fragment.split(".");
  const { body } = await openEnvelope(bytes, SPECIFICATION_TYPE, key ? [key] : null);
  const digest = hex(await sha256(body));
  if (pinned && pinned !== digest) return null;
  const specification = JSON.parse(text(body));
  if (specification.invited !== null) return null; // the code comes first, and Python blinds its token
  if (!permitted(specification, known)) return null;
  const words = pinned && key ? null : digestWords(digest); // which she has to compare first
  const inParts = specification.cells.districts?.some(({ shape }) => shape === "part") ?? false;
  return { title: specification.title, attributes: specification.attributes.map(fieldOf), in_parts: inParts, words };
}

/** Check 9: elements and fields that this client knows, her own words only by permission, and nothing asked that stays here. */
function permitted({ attributes, permissions, questionnaire }, known) {
  return questionnaire.pages.flatMap(({ elements }) => elements).every((element) => {
    const word = wordOf(element);
    return Object.hasOwn(known, word)
      && Object.keys(element).every((field) => known[word].includes(field))
      && (permissions.free_text === true || !(FREE_TEXT.includes(word) || element.hasOther))
      && ![element.name, ...(element.rows ?? []).map(({ value }) => `${element.name}_${value}`)].some((name) => attributes.some((attribute) => alike(attribute.name, name)));
  });
}

/**
 * Whether two texts are one to str.casefold() of Python; throws where only Python can tell, as of "ß" and "SS". What is
 * one in small letters is one to it, and what is not one in large letters either is not.
 */
function alike(one, other) {
  const [small, otherSmall] = [one.toLowerCase(), other.toLowerCase()];
  if (small === otherSmall) return true;
  if (small.toUpperCase() === otherSmall.toUpperCase()) throw new RangeError("case");
  return false;
}

/** As element_class() of shared/questions. */
function wordOf({ type, inputType = "text", validators }) {
  if (type === "text") return `text:${inputType}`;
  return type === "boolean" && validators ? "boolean:consent" : type;
}

/** As attribute_object() of respondent_client/browser/messages.py; throws for a kind that it does not know. */
function fieldOf(attribute, position) {
  const { name, kind, label, help, missing } = attribute;
  if (!Object.hasOwn(FORMS, kind)) throw new RangeError(kind);
  return { position, name, label, help, takes_missing: missing === "own-category", ...FORMS[kind](attribute) };
}

const choice = ({ categories }) => ({
  form: "choice",
  categories: categories.map(({ value, label }) => ({
    value,
    label,
    counted_as: Object.fromEntries(Object.entries(label).map(([tag, shown]) => [tag, alike(shown, value) ? "" : value])),
  })),
});

const FORMS = {
  numeric: ({ minimum, maximum, step, open_below, open_above, rounding }) => ({
    form: "number", minimum, maximum, step, open_below, open_above, rounding,
    fractional: `${minimum}${step}`.includes(".") || rounding !== "exact",
  }),
  ordinal: choice,
  nominal: choice,
  cyclic: choice,
  lookup: ({ entries }) => ({
    form: "entry",
    values: entries.map(({ value }) => value),
    ...(entries[0].label && { labels: entries.map(({ label }) => label) }),
  }),
};
