// What Python may ask of the browser; see respondent_client/browser/platform.py for the other side.

const REQUEST_MS = 60_000;
const fetchWithoutCounting = self.fetch.bind(self); // before the worker counts what it loads

export const platform = {
  async request(method, url, body, contentType, maxBytes) {
    const options = {
      method,
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "error",
      cache: "no-store",
      headers: { "Accept-Language": "*" }, // the respondent's language is nobody's business
      signal: AbortSignal.timeout(REQUEST_MS),
    };
    if (body) {
      options.body = body.slice();
      options.headers["Content-Type"] = contentType;
    }
    let response;
    try {
      response = await fetchWithoutCounting(url, options);
      return [response.status, await limited(response, maxBytes)];
    } catch (error) {
      return [error.name === "RangeError" ? -1 : 0, new Uint8Array()];
    }
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
    let library;
    try {
      library = await (suite.startsWith("mlkem768x25519") ? import("./hpke-x-wing.mjs") : import("./hpke.mjs"));
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

async function limited(response, maxBytes) {
  const chunks = [];
  let length = 0;
  for await (const chunk of chunksOf(response.body)) {
    length += chunk.length;
    if (length > maxBytes) throw new RangeError("too long");
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

async function* chunksOf(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
