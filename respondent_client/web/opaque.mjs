// SurveyJS reads meaning into names and values: "a|b" becomes a value and its text, and "constructor" is something
// that every object has. So it is given names and values of ours, and what it holds is put back afterwards.

const ROW = 11; // values of a scale that fit into one row on a telephone
const MANY = 15; // choices of a list that nobody looks through
const COMMENT = "-Comment"; // SurveyJS's ending of the key under which the words for "other" stand, and ours

/** Replace names and values; the map leads from our names of elements to what is signed. */
export function opaque(definition) {
  const codes = new Map();
  for (const { elements } of definition.pages) {
    for (const element of elements) {
      const code = `q${codes.size}`;
      const type = "validators" in element ? "consent" : element.type;
      codes.set(code, { name: element.name, type, values: coded(element.choices ?? element.columns, "c"), rows: coded(element.rows, "r"), search: type === "dropdown" && element.choices.length > MANY });
      if (type !== "image") element.title ??= element.name;
      element.name = code;
    }
  }
  definition.pages.forEach((page, i) => { page.name = `p${i}`; delete page.visibleIf; });
  return codes;
}

/** Values of ours for those of choices or rows; the map leads back. */
function coded(choices, letter) {
  const values = new Map();
  for (const choice of choices ?? []) {
    const code = `${letter}${values.size}`;
    values.set(code, choice.value);
    choice.text ??= choice.value;
    choice.value = code;
  }
  return values;
}

const READ = {
  rating: Number,
  boolean: (held) => held === "yes",
  consent: (held) => (held.length > 0 ? true : undefined),
};

/** What SurveyJS holds, by the signed names and in the signed values. */
export function plain(data, codes) {
  const answers = Object.create(null);
  for (const [key, held] of Object.entries(data)) {
    const code = key.endsWith(COMMENT) ? key.slice(0, -COMMENT.length) : key;
    const { name, type, values, rows } = codes.get(code);
    const value = (one) => (values.has(one) ? values.get(one) : one);
    if (code !== key) answers[name + COMMENT] = held;
    else if (type === "matrix") for (const [row, one] of Object.entries(held)) answers[`${name}_${rows.get(row)}`] = value(one);
    else if (type in READ) answers[name] = READ[type](held);
    else answers[name] = Array.isArray(held) ? held.map(value) : value(held);
  }
  return answers;
}

/** Native controls where SurveyJS has a choice, and numbers as text, for the signs of her language. */
export function drawable(definition, { language }) {
  for (const { elements } of definition.pages) {
    for (const element of elements) {
      for (const property of ["visibleIf", "requiredIf"]) delete element[property]; // Python says what is shown
      draw(element, language);
    }
  }
  return definition;
}

function draw(element, language) {
  special(element, language);
  if (element.type === "dropdown") element.renderAs = "select";
  if (element.type === "boolean") (element.validators ? box : yesAndNo)(element, language);
  if (element.type === "rating") scale(element, language);
  if (element.type === "ranking") order(element, language);
  if (element.type === "matrix") element.alternateRows = true;
  if (element.type !== "text") return;
  if (element.inputType === "number") numeric(element, language);
  if (element.inputType === "date") {
    const [low, high] = [element.min, element.max].map((day) => language.day(day));
    element.description = [element.description, language.t("questions.days", { low, high })].filter(Boolean).join(" ");
  }
}

function numeric(element, language) {
  const [low, high, step] = [element.min, element.max, element.step].map((text) => language.number(text));
  const range = [language.t("you.number", { low, high }), element.step !== "1" && language.t("you.step", { step })];
  element.description = [element.description, ...range].filter(Boolean).join(" ");
  element.inputType = "text";
  for (const property of ["min", "max", "step", "unit"]) delete element[property];
}

/** "None" and "other" in the survey's words, or in ours. */
function special(element, language) {
  if (element.hasNone) Object.assign(element, { showNoneItem: true, noneText: element.noneText ?? language.t("questions.none") });
  if (element.hasOther) Object.assign(element, { showOtherItem: true, otherText: element.otherText ?? language.t("questions.another"), otherPlaceholder: language.t("questions.another.words") });
  for (const property of ["hasNone", "hasOther"]) delete element[property];
}

/** A single box, which says what is agreed to. */
function box(element, language) {
  element.type = "checkbox";
  element.choices = [{ value: "yes", text: element.labelTrue ?? language.t("questions.agree") }];
  for (const property of ["labelTrue", "validators"]) delete element[property];
}

/** Choices that are tapped in her order: boxes, since a box keeps the order in which it was ticked. */
function order(element, language) {
  element.type = "checkbox";
  element.description = [element.description, language.t("questions.order")].filter(Boolean).join(" ");
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
