// A code as people type it, as shared/invitation_code.py reads it; for the board's page, where no Python runs.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const SYMBOLS = 20;
const BETWEEN = /[\s\u00ad\u2010-\u2015\u2212_.-]+/g;
const READ_AS = { O: "0", I: "1", L: "1" };
const REDUCTION = 0b100101;

/** The product with x in GF(32), whose generator is x^5 + x^2 + 1. */
const timesX = (value) => ((value << 1) & 32 ? (value << 1) ^ REDUCTION : value << 1);

/** The twenty symbols of a code in a text, or of the link on a letter; null if it is none. */
export function parseCode(text) {
  const linked = /#[^.\s]*\.[^.\s]*\.([^.\s]+)/.exec(text);
  const symbols = (linked ? linked[1] : text).slice(0, 200).replace(BETWEEN, "").toUpperCase().replace(/[OIL]/g, (symbol) => READ_AS[symbol]);
  const values = Array.from(symbols, (symbol) => ALPHABET.indexOf(symbol));
  if (values.length !== SYMBOLS || values.includes(-1)) return null;
  return values.reduceRight((sum, value) => timesX(sum) ^ value, 0) === 0 ? symbols : null;
}
