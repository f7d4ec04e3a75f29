// The receipt that a respondent keeps, as shared/receipt.py reads it, and what may stand beside it: the link that
// pins the survey and the organizer's key.

const TEXT = /ROOMFUL-RECEIPT\s*:\s*((?:[0-9A-F]\s*){16}):\s*((?:[0-9A-F]\s*){63}[0-9A-F])(?![0-9A-F])(?:\s*:\s*((?:[0-9A-F]\s*){127}[0-9A-F])(?![0-9A-F]))?/g;
const DIGITS = /^\s*(?:[0-9A-F]\s*){64}$/;
const PIN = /#([0-9a-f]{64})\.([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/;

/**
 * {survey, digest, acceptance} of the one receipt in a text; null if there is none or several. The survey is null for
 * digits alone, the acceptance empty where the collector's signature is not known.
 */
export function parseReceipt(text) {
  const upper = text.toUpperCase();
  const found = new Set([...upper.matchAll(TEXT)].map(([, ...parts]) => parts.map((part) => part ?? "").join(":").replace(/\s/g, "").toLowerCase()));
  if (found.size === 0 && DIGITS.test(upper)) return { survey: null, digest: upper.replace(/\s/g, "").toLowerCase(), acceptance: "" };
  if (found.size !== 1) return null;
  const [survey, digest, acceptance] = [...found][0].split(":");
  return { survey, digest, acceptance };
}

/** The text form of a receipt: capitals, so that a QR code holds it in its alphanumeric mode. */
export function receiptText(surveyId, { digest, acceptance }) {
  return ["ROOMFUL-RECEIPT", surveyId, digest, ...(acceptance ? [acceptance] : [])].join(":").toUpperCase();
}

/** The sealed ballot in a saved receipt, as shared/complaint.py reads it, in base64url; null unless there is one. */
export function sealedBallot(text) {
  const found = new Set([...text.matchAll(/ROOMFUL-BALLOT:([A-Za-z0-9_-]+)/g)].map(([, sealed]) => sealed));
  return found.size === 1 ? [...found][0] : null;
}

/** The bytes of {@link sealedBallot}. */
export const sealedBytes = (sealed) => Uint8Array.from(atob(sealed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** {digest, key} from a link's fragment anywhere in a text, or null. */
export function parsePin(text) {
  const match = PIN.exec(text);
  return match && { digest: match[1], key: match[2] };
}

/** What she saves: the receipt, what it is, and the link to the board with what it pins. */
export function receiptFile({ title, text, link, lines, ballot = "" }) {
  return [title, "", text, "", ...lines, "", link, "", ...(ballot ? [ballot, ""] : [])].join("\r\n");
}
