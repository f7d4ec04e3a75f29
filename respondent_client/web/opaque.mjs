// SurveyJS reads meaning into names and values: "a|b" becomes a value and its text, and "constructor" is something
// that every object has. So it is given names and values of ours, and what it holds is put back afterwards.

const ROW = 11; // values of a scale that fit into one row on a telephone

/** Replace names and values; the map leads from our names of questions to theirs. */
export function opaque(definition) {
  const codes = new Map();
  for (const { elements } of definition.pages) {
    for (const element of elements) {
      const code = `q${codes.size}`;
      const values = new Map((element.choices ?? []).map(({ value }, i) => [`c${i}`, value]));
      if (element.type === "boolean") values.set("yes", true).set("no", false);
      codes.set(code, { name: element.name, values, rating: element.type === "rating" });
      element.title ??= element.name;
      element.name = code;
      (element.choices ?? []).forEach((choice, i) => { choice.text ??= choice.value; choice.value = `c${i}`; });
    }
  }
  definition.pages.forEach((page, i) => { page.name = `p${i}`; });
  return codes;
}

/** What SurveyJS holds, by the signed names and in the signed values. */
export function plain(data, codes) {
  const answers = Object.create(null);
  for (const [code, held] of Object.entries(data)) {
    const { name, values, rating } = codes.get(code);
    const value = (one) => (values.has(one) ? values.get(one) : rating ? Number(one) : one);
    answers[name] = Array.isArray(held) ? held.map(value) : value(held);
  }
  return answers;
}

/** Native controls where SurveyJS has a choice, and numbers as text, for the signs of her language. */
export function drawn(definition, { language }) {
  for (const { elements } of definition.pages) elements.forEach((element) => draw(element, language));
  return definition;
}

function draw(element, language) {
  if (element.type === "dropdown") element.renderAs = "select";
  if (element.type === "boolean") yesAndNo(element, language);
  if (element.type === "rating") scale(element, language);
  if (element.type !== "text") return;
  const [low, high, step] = [element.min, element.max, element.step].map((text) => language.number(text));
  const range = [language.t("you.number", { low, high }), element.step !== "1" && language.t("you.step", { step })];
  element.description = [element.description, ...range].filter(Boolean).join(" ");
  element.inputType = "text";
  for (const property of ["min", "max", "step"]) delete element[property];
}

function yesAndNo(element, language) {
  element.type = "radiogroup";
  element.choices = [
    { value: "yes", text: element.labelTrue ?? language.t("review.yes") },
    { value: "no", text: element.labelFalse ?? language.t("review.no") },
  ];
  delete element.labelTrue;
  delete element.labelFalse;
}

/** Buttons in one row, or a list where they would not fit: SurveyJS leaves out what goes beyond twenty. */
function scale(element, language) {
  const { rateMin: low, rateMax: high, minRateDescription: lowest, maxRateDescription: highest } = element;
  if (high - low < ROW) {
    element.displayMode = "buttons";
    element.rateDescriptionLocation = "bottom";
    return;
  }
  const end = (value) => (value === low ? lowest : value === high ? highest : null);
  const texts = Array.from({ length: high - low + 1 }, (_, i) => [language.number(low + i), end(low + i)].filter(Boolean).join(" – "));
  Object.assign(element, { type: "dropdown", renderAs: "select", choices: texts.map((text, i) => ({ value: String(low + i), text })) });
  for (const property of ["rateMin", "rateMax", "minRateDescription", "maxRateDescription"]) delete element[property];
}
