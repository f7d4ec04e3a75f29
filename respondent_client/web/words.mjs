// Digests as words, as shared/words.py makes them: proquints of the first 16 bytes.

const CONSONANTS = "bdfghjklmnprstvz";
const VOWELS = "aiou";

/** Eight words of five letters for the first 16 bytes of some hexadecimal digits. */
export function digestWords(hex) {
  const words = [];
  for (let i = 0; i < 32; i += 4) {
    const value = parseInt(hex.slice(i, i + 4), 16);
    words.push(
      CONSONANTS[value >> 12] + VOWELS[(value >> 10) & 3] + CONSONANTS[(value >> 6) & 15] + VOWELS[(value >> 4) & 3] + CONSONANTS[value & 15],
    );
  }
  return words.join("-");
}
