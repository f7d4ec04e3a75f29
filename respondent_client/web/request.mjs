// A request that tells a server nothing but what it asks for.

const SILENT_MS = 60_000; // without a byte of what is read; what answers a message is short, and has this time in all
const send = globalThis.fetch?.bind(globalThis); // before the worker counts what it loads

/** [status, body]; the status is 0 if no answer came, and -1 if it was too long. */
export async function request(method, url, body, contentType, maxBytes) {
  const { signal, heard, over } = patience();
  const options = {
    method,
    credentials: "omit",
    referrerPolicy: "no-referrer",
    redirect: "error",
    cache: "no-store",
    headers: { "Accept-Language": "*" }, // the respondent's language is nobody's business
    signal,
  };
  if (body) {
    options.body = body.slice();
    options.headers["Content-Type"] = contentType;
  }
  try {
    heard();
    const response = await send(url, options);
    return [response.status, await limited(response, maxBytes, body ? () => {} : heard)];
  } catch (error) {
    return [error.name === "RangeError" ? -1 : 0, new Uint8Array()];
  } finally {
    over();
  }
}

/** Bring a file of this page into the browser's cache, for what would wait for it without an end; throws if it does not come. */
export async function bring(url) {
  const { signal, heard, over } = patience();
  try {
    heard();
    const response = await send(url, { signal });
    if (!response.ok) throw new Error(`${response.status}`);
    return await limited(response, Infinity, heard);
  } finally {
    over();
  }
}

/** Ends what is silent for too long. */
function patience() {
  const ended = new AbortController();
  let silence;
  const over = () => clearTimeout(silence);
  const heard = () => {
    over();
    silence = setTimeout(() => ended.abort(), SILENT_MS);
  };
  return { signal: ended.signal, heard, over };
}

async function limited(response, maxBytes, heard) {
  const chunks = [];
  let length = 0;
  for await (const chunk of chunksOf(response.body)) {
    heard();
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
