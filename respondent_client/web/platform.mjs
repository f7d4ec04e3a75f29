// What Python may ask of the browser; see respondent_client/browser/platform.py for the other side.

import { bring, request } from "./request.mjs";

let fetched = null; // what the page has fetched for Python already

/** Answer the next request for this address with what the page has; Python then checks the very bytes that it saw. */
export function offer(given) {
  fetched = given;
}

export const platform = {
  async request(method, url, body, contentType, maxBytes) {
    const { url: known, bytes } = fetched ?? {};
    fetched = null;
    if (method === "GET" && url === known && bytes.length <= maxBytes) return [200, bytes];
    return request(method, url, body, contentType, maxBytes);
  },
  async verify(publicKey, signature, message) {
    try {
      const key = await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"]);
      return await crypto.subtle.verify({ name: "Ed25519" }, key, signature, message);
    } catch {
      return false; // a key that is no point of the curve verifies nothing
    }
  },
  /** [0, nothing] if the program part cannot be loaded, [-1, nothing] if the key is none, else [1, sealed]. */
  async seal(suite, publicKey, info, plaintext) {
    const isHybrid = suite.startsWith("mlkem768x25519");
    let library;
    try {
      await bring(isHybrid ? new URL("./hpke-x-wing.mjs", import.meta.url) : new URL("./hpke.mjs", import.meta.url));
      library = await (isHybrid ? import("./hpke-x-wing.mjs") : import("./hpke.mjs"));
    } catch {
      return [0, new Uint8Array()];
    }
    const sealed = await library.seal(suite, publicKey, info, plaintext);
    return sealed ? [1, sealed] : [-1, new Uint8Array()];
  },
  /** The public half of a token's one-time key, 32 bytes. */
  async publicKey(secret) {
    const { x } = await crypto.subtle.exportKey("jwk", await signingKey(secret, true));
    const text = atob(x.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  },
  async sign(secret, message) {
    return new Uint8Array(await crypto.subtle.sign({ name: "Ed25519" }, await signingKey(secret, false), message));
  },
  entropy(bytes) {
    return crypto.getRandomValues(new Uint8Array(bytes));
  },
  notify(notice) {
    self.postMessage({ kind: "notice", notice: JSON.parse(notice) });
  },
};

/** WebCrypto reads a private key as PKCS #8 only (RFC 8410): a fixed head before its 32 bytes. */
const PKCS8_HEAD = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

function signingKey(secret, extractable) {
  return crypto.subtle.importKey("pkcs8", new Uint8Array([...PKCS8_HEAD, ...secret]), { name: "Ed25519" }, extractable, ["sign"]);
}
