// For tests: opens with the client's own bundles, as a receiver would that has nothing of Python.

const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Open what another implementation sealed; a private key and additional data as a vector gives them. */
export async function open({ bundle, suite, secret, info, sealed, aad }) {
  const { suiteOf } = await import(bundle);
  const cipher = suiteOf(suite);
  const recipientKey = await cipher.kem.deserializePrivateKey(bytes(secret));
  const [enc, ciphertext] = split(bytes(sealed), cipher.kem.encSize);
  const recipient = await cipher.createRecipientContext({ recipientKey, enc, info: bytes(info) });
  return hex(await recipient.open(ciphertext, bytes(aad)));
}

/** The shared secret of an encapsulated key. */
export async function decapsulate({ bundle, suite, secret, enc }) {
  const { suiteOf } = await import(bundle);
  const { kem } = suiteOf(suite);
  return hex(await kem.decap({ recipientKey: await kem.deserializePrivateKey(bytes(secret)), enc: bytes(enc) }));
}

const split = (all, place) => [all.slice(0, place), all.slice(place)];
