// The conditions that are signed mean to SurveyJS what they mean to shared/conditions.py: whoever draws a survey with
// SurveyJS alone asks the same people.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const Survey = createRequire(import.meta.url)("../../respondent_client/node_modules/survey-core");
const { answers, conditions } = JSON.parse(readFileSync(new URL("../vectors/conditions.json", import.meta.url), "utf8"));

const isAnswer = (value) => !Array.isArray(value) || value.length > 0;

for (const { signed, holds } of conditions) {
  test(signed, () => {
    const held = Object.entries(answers)
      .filter(([, given]) => new Survey.ConditionRunner(signed).runValues(Object.fromEntries(Object.entries(given).filter(([, value]) => isAnswer(value)))))
      .map(([name]) => name);
    assert.deepEqual(held, holds);
  });
}
