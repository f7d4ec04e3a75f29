// Bundled by build.py into static/, loaded only by surveys that use it: the post-quantum hybrid X-Wing.

import { Aes128Gcm, CipherSuite, HkdfSha256 } from "@hpke/core";
import { XWing } from "@hpke/hybridkem-x-wing";
import { sealWith } from "./seal.mjs";

/** The cipher suite mlkem768x25519-hkdf-sha256-aes128gcm (shared/sealing.py). */
export function suiteOf() {
  return new CipherSuite({ kem: new XWing(), kdf: new HkdfSha256(), aead: new Aes128Gcm() });
}

export const seal = (name, ...parts) => sealWith(suiteOf(), ...parts);
