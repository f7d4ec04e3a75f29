// The room where the respondent's answers are handled: Python under Pyodide, in a worker of its own.
//
// To the page:   {kind: "progress", loaded, total} while loading, then {kind: "ready"} or {kind: "failed", cause};
//                {kind: "answer", id, result} or {kind: "answer", id, error} for each request;
//                {kind: "notice", notice} while a long request runs.
// From the page: {id, method, arguments}; in the arguments may be {fetched: {url, bytes}}, which is not fetched again.
//                {id, part: "verification", files: {name: bytes}, arguments}: to a part that is loaded when it is asked for.
//
// loadPyodide() neither resolves nor rejects when WebAssembly is blocked or has the wrong type, so every cause
// is looked for here, and a watchdog ends a start that makes no progress.

import { loadPyodide } from "pyodide";
import { offer, platform } from "./platform.mjs";
import { lock, sizes } from "./runtime.mjs"; // written by build.py

const STALLED_MS = 45_000; // no byte arrived for this long
const START_MS = 180_000; // all bytes are here, but Python does not come up (slow telephones need a minute)
const EMPTY_WASM = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

const here = (name) => new URL(name, self.location.href);
const sizeOf = new Map(Object.entries(sizes).map(([name, size]) => [here(name).pathname, size]));
const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
let loaded = 0;
let lastProgress = performance.now();
let finished = false;
let handle = null;
let runtime = null;
let program = null;
const waiting = [];

function fail(cause, detail = "") {
  if (finished) return;
  finished = true;
  self.postMessage({ kind: "failed", cause, detail: String(detail) });
}

function arrived(bytes) {
  loaded = Math.min(total, loaded + bytes);
  lastProgress = performance.now();
  self.postMessage({ kind: "progress", loaded, total });
}

/** Count the bytes of a response as they arrive, leaving the response itself to its reader. */
async function count(response, size) {
  const reader = response.body.getReader();
  let counted = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const bytes = Math.min(value.length, size - counted);
    counted += bytes;
    arrived(bytes);
  }
  arrived(size - counted);
}

const fetchWithoutCounting = self.fetch.bind(self);

async function countingFetch(resource, options) {
  const url = new URL(resource.url ?? resource, self.location.href);
  const size = sizeOf.get(url.pathname);
  let response;
  try {
    response = await fetchWithoutCounting(resource, options);
  } catch (error) {
    fail("network", error);
    throw error;
  }
  if (!response.ok) fail("network", `${response.status} ${url.pathname}`);
  const type = (response.headers.get("content-type") ?? "").split(";")[0].trim();
  if (response.ok && url.pathname.endsWith(".wasm") && type !== "application/wasm") fail("wasm-type", type);
  if (size && response.ok) count(response.clone(), size).catch((error) => fail("network", error));
  return response;
}

/** Things that a browser can lack; each has its own plain words on the page. */
async function preflight() {
  if (typeof WebAssembly !== "object" || !WebAssembly.instantiateStreaming) return "no-webassembly";
  try {
    await WebAssembly.compile(EMPTY_WASM);
  } catch {
    return "wasm-blocked";
  }
  if (!self.isSecureContext) return "insecure";
  if (!self.crypto?.subtle) return "no-webcrypto";
  try {
    await crypto.subtle.importKey("raw", new Uint8Array(32), { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    // All zeros is a point of small order: a browser may refuse it as data, but not as an algorithm.
    if (error.name !== "DataError") return "no-ed25519";
  }
  return null;
}

async function start() {
  const cause = await preflight();
  if (cause) return fail(cause);
  self.fetch = countingFetch;
  const watchdog = setInterval(() => {
    const limit = loaded < total ? STALLED_MS : START_MS;
    if (!finished && performance.now() - lastProgress > limit) fail("stalled");
    if (finished) clearInterval(watchdog);
  }, 1000);
  const instantiate = WebAssembly.instantiateStreaming.bind(WebAssembly);
  WebAssembly.instantiateStreaming = async (...parts) => {
    try {
      return await instantiate(...parts);
    } catch (error) {
      // Pyodide only logs this and waits for ever.
      fail(error instanceof WebAssembly.CompileError ? "wasm-blocked" : "wasm-failed", error);
      throw error;
    }
  };
  try {
    const ours = fetch(here("./roomful.zip")).then((response) => response.arrayBuffer());
    const pyodide = await loadPyodide({
      indexURL: new URL("./", here("./pyodide/pyodide.asm.wasm")).href,
      stdLibURL: here("./python_stdlib.zip").href,
      lockFileContents: lock,
    });
    pyodide.FS.writeFile("/roomful.zip", new Uint8Array(await ours));
    pyodide.registerJsModule("roomful_platform", platform);
    pyodide.pyimport("sys").path.insert(0, "/roomful.zip");
    program = pyodide.pyimport("respondent_client.browser.program");
    program.add("/roomful.zip");
    handle = pyodide.pyimport("respondent_client.browser.start").handle;
    runtime = pyodide;
  } catch (error) {
    return fail("start", error);
  }
  self.fetch = fetchWithoutCounting;
  if (finished) return;
  finished = true;
  self.postMessage({ kind: "ready", milliseconds: Math.round(performance.now()) });
  for (const request of waiting.splice(0)) answer(request);
}

/** Verifies an election; its program is no part of what a voter loads. */
async function verification() {
  const response = await fetch(here("./verification.zip"));
  if (!response.ok) throw new Error(`${response.status}`);
  runtime.FS.writeFile("/verification.zip", new Uint8Array(await response.arrayBuffer()));
  program.add("/verification.zip");
  return runtime.pyimport("respondent_client.browser.verification").verify;
}

async function verify({ id, files, arguments: given }) {
  let check;
  try {
    check = await verification();
  } catch (error) {
    return self.postMessage({ kind: "failed", cause: error instanceof TypeError ? "network" : "start", detail: String(error) });
  }
  const reply = JSON.parse(check(JSON.stringify(given), runtime.toPy(files)));
  self.postMessage({ kind: "answer", id, ...reply });
}

async function answer({ id, method, part, files, arguments: { fetched, ...given } }) {
  if (part === "verification") return verify({ id, files, arguments: given });
  if (fetched) offer(fetched);
  const reply = JSON.parse(await handle(JSON.stringify({ method, arguments: given })));
  self.postMessage({ kind: "answer", id, ...reply });
}

// Python answers every error itself. What comes here has broken the interpreter, and no answer will follow.
function crashed(event) {
  self.postMessage({ kind: "failed", cause: "crashed", detail: String(event.message ?? event.reason) });
}

self.addEventListener("error", crashed);
self.addEventListener("unhandledrejection", crashed);
self.addEventListener("message", ({ data }) => (handle ? answer(data) : waiting.push(data)));
start();
