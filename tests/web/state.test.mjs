// The state of the page: what each event does, and that a refusal and a receipt leave nothing of hers behind.

import assert from "node:assert/strict";
import { test } from "node:test";

import { asked, holds, initial, reduce } from "../../respondent_client/web/state.mjs";

/** The state after some events. */
const after = (...events) => events.reduce(reduce, initial());
const survey = { attributes: [{ name: "age" }] };
const found = { lines: [{ number: 1 }], words: "babab", compare: false, survey, sound: false };
const entered = { type: "entered", name: "age", value: "43" };

test("a state is never changed, only followed by another", () => {
  const before = Object.freeze(initial());
  Object.freeze(before.quasi);
  const next = reduce(before, entered);
  assert.deepEqual(Object.keys(before.quasi), []);
  assert.equal(next.quasi.age, "43");
});

test("names that every object has are names like others", () => {
  const state = after({ ...entered, name: "constructor" }, { ...entered, name: "__proto__" });
  assert.deepEqual(Object.keys(state.quasi), ["constructor", "__proto__"]);
  const less = reduce(state, { ...entered, name: "constructor", value: undefined });
  assert.deepEqual(Object.keys(less.quasi), ["__proto__"]);
});

test("later steps are out of reach once something before them changed", () => {
  const far = after({ type: "ahead", step: 5 }, { type: "went", step: 5 }, { type: "went", step: 2 });
  assert.equal(far.furthest, 5);
  assert.equal(reduce(far, entered).furthest, 2);
  assert.equal(reduce(far, { type: "answered", answers: { a: 1 } }).furthest, 2);
  assert.equal(reduce(far, { type: "changed" }).furthest, 2);
  assert.equal(reduce(far, { type: "chose", when: "now" }).furthest, 5);
});

test("what was looked at early is asked until the checks say what the survey asks", () => {
  const early = { attributes: [{ name: "early" }] };
  const looked = after({ type: "looked", asked: early });
  assert.equal(asked(looked), early);
  assert.equal(looked.sound, false);
  const examined = reduce(looked, { type: "examined", found });
  assert.equal(asked(examined), survey);
  assert.equal(examined.sound, false);
  assert.equal(reduce(examined, { type: "examined", found: { ...found, sound: true } }).sound, true);
});

test("a refusal at any time takes with it what she entered, and what the survey asks", () => {
  const begun = after({ type: "examined", found: { ...found, sound: true } }, entered, { type: "placed", room: { cell: 1 } });
  const refused = { code: "check.model" };
  for (const event of [{ type: "refused", refused }, { type: "examined", found: { ...found, survey: null, refused } }]) {
    const state = reduce(begun, event);
    assert.equal(state.refused.code, "check.model");
    assert.deepEqual([state.survey, asked(state), state.room, state.sound, holds(state)], [null, null, null, false, false]);
    assert.deepEqual(Object.keys(state.quasi), []);
  }
});

test("a refusal is final", () => {
  const state = after({ type: "refused", refused: { code: "check.model" } }, { type: "examined", found });
  assert.equal(state.refused.code, "check.model");
});

test("a receipt leaves nothing but itself", () => {
  const state = after(
    { type: "invitation", changes: { code: "x", token: { link: "y" } } },
    entered,
    { type: "answered", answers: { a: 1 } },
    { type: "accepted", accepted: [["a", { typed: 1, value: "1" }]] },
    { type: "composed", message: { text: "t" } },
    { type: "sends" },
    { type: "sent", receipt: { receipt: "r" } },
  );
  assert.deepEqual([Object.keys(state.quasi), Object.keys(state.answers), state.accepted.size, state.message, state.invitation], [[], [], 0, null, null]);
  assert.deepEqual([state.sending, state.tried, holds(state)], [false, true, false]);
});

test("sending ends the waiting, and is not waited for twice", () => {
  const waited = after({ type: "chose", when: "random" }, { type: "waits", waiting: { until: 1 } }, { type: "sends" });
  assert.deepEqual([waited.waiting, waited.when, waited.sending], [null, "now", true]);
  assert.equal(after({ type: "chose", when: "random" }, { type: "sends" }).when, "random");
  const unsent = reduce(waited, { type: "unsent", problem: { code: "x" } });
  assert.deepEqual([unsent.sending, unsent.tried, unsent.problem.code], [false, true, "x"]);
  assert.equal(reduce(unsent, { type: "went", step: unsent.step }).problem.code, "x");
  assert.equal(reduce(unsent, { type: "went", step: unsent.step + 1 }).problem, null);
});

test("what only this tab holds is held until it is saved or sent", () => {
  const token = after({ type: "invitation", changes: { token: {}, saved: false } });
  assert.ok(holds(token, false));
  assert.ok(!holds(token, true));
  assert.ok(!holds(reduce(token, { type: "invitation", changes: { saved: true } })));
  assert.ok(holds(after({ type: "invitation", changes: { pending: true } })));
  assert.ok(holds(after(entered)));
  assert.ok(!holds(initial()));
});

test("a message is of the review on which it was made, and is on its way from when it is sealed for it", () => {
  const message = { text: "a" };
  const made = after({ type: "went", step: 5 }, { type: "composed", message });
  assert.equal(reduce(made, { type: "went", step: 5 }).message, message);
  assert.equal(reduce(made, { type: "went", step: 4 }).message, null);
  const casting = reduce(made, { type: "casts" });
  assert.deepEqual([casting.sending, casting.tried], [true, false]);
  const cast = reduce(casting, { type: "cast", message: { text: "b" } });
  assert.deepEqual([cast.sending, cast.message.text], [false, "b"]);
  assert.equal(reduce(casting, { type: "unsent", problem: { code: "remote.unreachable" } }).sending, false);
});
