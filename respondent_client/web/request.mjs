// A request that tells a server nothing but what it asks for.

const REQUEST_MS = 60_000;
const send = globalThis.fetch?.bind(globalThis); // before the worker counts what it loads

/** [status, body]; the status is 0 if no answer came, and -1 if it was too long. */
export async function request(method, url, body, contentType, maxBytes) {
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
  try {
    const response = await send(url, options);
    return [response.status, await limited(response, maxBytes)];
  } catch (error) {
    return [error.name === "RangeError" ? -1 : 0, new Uint8Array()];
  }
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
