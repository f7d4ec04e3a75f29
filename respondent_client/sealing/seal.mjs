// HPKE in base mode (RFC 9180), for the two bundles beside this file; see docs/decisions/0061.

/**
 * Seal one message: the encapsulated key, then the ciphertext, as the library of the other side expects them.
 *
 * Returns null if nothing can be sealed to the key, because it is none or a point of low order.
 */
export async function sealWith(suite, publicKey, info, plaintext) {
  let sender;
  try {
    const recipientPublicKey = await suite.kem.deserializePublicKey(publicKey);
    sender = await suite.createSenderContext({ recipientPublicKey, info });
  } catch {
    return null;
  }
  const ciphertext = await sender.seal(plaintext);
  const sealed = new Uint8Array(sender.enc.byteLength + ciphertext.byteLength);
  sealed.set(new Uint8Array(sender.enc));
  sealed.set(new Uint8Array(ciphertext), sender.enc.byteLength);
  return sealed;
}
