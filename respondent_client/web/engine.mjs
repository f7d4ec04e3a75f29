// The page's handle on the worker: loads it in the background, asks it, and notices when it is silent.

const SILENT_MS = 240_000;
/** Cause of an engine that the page itself has ended. */
const STOPPED = "stopped";

export class Engine {
  #worker;
  #pending = new Map();
  #number = 0;
  #watchdog;
  #last = performance.now();

  /** listeners: progress({loaded, total}), ready({milliseconds}), failed({cause}), notice(value). */
  constructor(listeners) {
    this.listeners = listeners;
    this.failed = null;
  }

  start() {
    if (typeof Worker !== "function") return this.#fail("no-worker");
    if (!window.isSecureContext) return this.#fail("insecure");
    if (typeof WebAssembly !== "object") return this.#fail("no-webassembly");
    if (!window.crypto?.subtle) return this.#fail("no-webcrypto");
    try {
      const worker = new URL("./worker.mjs", import.meta.url);
      const page = document.getElementById("main").dataset;
      if ("relayed" in page) worker.searchParams.set("survey", page.id); // for the policy that lets it send there
      this.#worker = new Worker(worker, { type: "module", name: "roomful" });
    } catch {
      return this.#fail("no-worker");
    }
    this.#worker.addEventListener("error", (event) => this.#fail("network", event.message));
    this.#worker.addEventListener("message", ({ data }) => this.#receive(data));
    this.#watchdog = setInterval(() => {
      if (performance.now() - this.#last > SILENT_MS) this.#fail("stalled");
    }, 5000);
  }

  /** Ask the worker; the answer is what Python returned, or an Error with code, where, expected, remedy. */
  ask(method, given = {}) {
    return this.#post({ method, arguments: given });
  }

  /** Ask a part of the program that is loaded then; it gets files, which are the worker's from now on. */
  askPart(part, given, files) {
    return this.#post({ part, files, arguments: given }, Object.values(files).map(({ buffer }) => buffer));
  }

  /** End the worker with whatever it is doing; nothing can be asked any more. */
  stop() {
    this.#fail(STOPPED);
  }

  #post(message, transfer = []) {
    const id = ++this.#number;
    return new Promise((resolve, reject) => {
      if (this.failed) return reject(this.#broken());
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...message }, transfer);
    });
  }

  #receive(data) {
    this.#last = performance.now();
    if (data.kind === "progress") this.listeners.progress(data);
    else if (data.kind === "failed") this.#fail(data.cause, data.detail);
    else if (data.kind === "notice") this.listeners.notice(data.notice);
    else if (data.kind === "ready") {
      clearInterval(this.#watchdog);
      this.listeners.ready(data);
    } else if (data.kind === "answer") {
      const { resolve, reject } = this.#pending.get(data.id);
      this.#pending.delete(data.id);
      if (data.error) reject(Object.assign(new Error(data.error.message), data.error));
      else resolve(data.result);
    }
  }

  /** What every request gets once there is nobody to answer it. */
  #broken() {
    return Object.assign(new Error(this.failed), { code: "engine" });
  }

  #fail(cause, detail = "") {
    if (this.failed) return;
    clearInterval(this.#watchdog);
    this.#worker?.terminate();
    this.failed = cause;
    for (const { reject } of this.#pending.values()) reject(this.#broken());
    this.#pending.clear();
    this.listeners.failed({ cause, detail });
  }
}
