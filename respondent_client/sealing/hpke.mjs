// Bundled by build.py into static/: the suites with X25519. WebCrypto does X25519, HKDF and AES-GCM.

import { Aes128Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import { Chacha20Poly1305 } from "@hpke/chacha20poly1305";
import { sealWith } from "./seal.mjs";

const AEADS = {
  "x25519-hkdf-sha256-aes128gcm": Aes128Gcm,
  "x25519-hkdf-sha256-chacha20poly1305": Chacha20Poly1305,
};

/** The cipher suite of a name in the specification (shared/sealing.py). */
export function suiteOf(name) {
  const kem = new DhkemX25519HkdfSha256();
  return new CipherSuite({ kem, kdf: new HkdfSha256(), aead: new AEADS[name]() });
}

export const seal = (name, ...parts) => sealWith(suiteOf(name), ...parts);
