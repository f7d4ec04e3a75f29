// A request waits as long as something arrives, however slow the line is, and no longer.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

let line; // of the answer under way
globalThis.fetch = async (_, { signal }) => {
  const body = new ReadableStream({ start: (controller) => { line = controller; } });
  signal.addEventListener("abort", () => line.error(signal.reason));
  return new Response(body);
};
const { bring, request } = await import("../../respondent_client/web/request.mjs");

/** Let what was resolved be heard of. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function arrives(seconds) {
  for (const pause of seconds) {
    await settle();
    mock.timers.tick(1000 * pause);
    try {
      line.enqueue(new Uint8Array(10));
    } catch {
      return; // nobody listens any more
    }
  }
  await settle();
  line.close();
}

async function asked(body, pauses) {
  const answer = await waited(() => request("GET", "https://survey.example/", body, "", 1000), pauses);
  return [answer[0], answer[1].length];
}

async function waited(ask, pauses) {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const [answer] = await Promise.all([ask(), arrives(pauses)]);
    return answer;
  } finally {
    mock.timers.reset();
  }
}

test("minutes of bytes are waited for", async () => {
  assert.deepEqual(await asked(null, [50, 50, 50, 50, 50]), [200, 50]);
});

test("a minute without a byte ends it", async () => {
  assert.deepEqual(await asked(null, [50, 61]), [0, 0]);
  assert.deepEqual(await asked(null, [61]), [0, 0]);
});

test("what answers a message has a minute in all", async () => {
  assert.deepEqual(await asked(new Uint8Array(1), [30]), [200, 10]);
  assert.deepEqual(await asked(new Uint8Array(1), [30, 31]), [0, 0]);
});

test("what is too long is told from what does not come", async () => {
  assert.deepEqual(await asked(null, Array.from({ length: 101 }, () => 1)), [-1, 0]);
});

test("a file of the page that falls silent is given up, and so is the seal that needs it", async () => {
  assert.equal((await waited(() => bring("https://survey.example/x.js"), [50, 50])).length, 20);
  await assert.rejects(waited(() => bring("https://survey.example/x.js"), [50, 61]));
  const { platform } = await import("../../respondent_client/web/platform.mjs");
  const [sealed] = await waited(() => platform.seal("mlkem768x25519", null, null, null), [61]);
  assert.equal(sealed, 0);
});
