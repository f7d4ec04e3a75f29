// Step 3: the quasi-identifiers. They go to the worker of this page and no further.

import { standing } from "./checks.mjs";
import { errorSummary, h, replace } from "./dom.mjs";
import { asked } from "./state.mjs";

const FEW = 7;
const DATALIST_LIMIT = 3000;

/** What is wrong with a field; a name may be one that every object has, such as "constructor". */
const problem = (errors, { name }) => (Object.hasOwn(errors, name) ? errors[name] : null);

export const you = {
  name: "you",
  stage: "you",
  render(context) {
    const { language, state } = context;
    const errors = state.faults ?? {};
    const fields = asked(state).attributes;
    const problems = fields.filter((field) => problem(errors, field));
    const checked = h("div", {}); // below what she fills in, which must not move
    const known = state.sound; // then the screen before has said so
    context.live = () => replace(checked, !known && state.sound && standing(context));
    return [
      problems.length > 0 &&
        errorSummary(
          language.t("errors.heading", { count: problems.length }),
          problems.map((field) => ({ field: id(field), message: message(context, field, problem(errors, field)) })),
        ),
      h("h1", { tabindex: "-1" }, language.t("you.heading")),
      h("p", { class: "promise" }, language.t(asked(state).in_parts ? "you.stay.parts" : "you.stay")),
      h(
        "form",
        { autocomplete: "off", novalidate: true, onsubmit: (event) => submit(event, context) },
        fields.map((field) => question(context, field, problem(errors, field))),
        h(
          "p",
          { class: "actions" },
          h("button", { type: "submit", class: "primary" }, language.t("continue")),
          h("button", { type: "button", onclick: context.back }, language.t("back")),
        ),
      ),
      checked,
    ];
  },
};

const id = (field) => `field-${field.position}`;

async function submit(event, context) {
  event.preventDefault();
  const { state } = context;
  context.tell({ type: "faulty", faults: null });
  if (!state.sound && !state.survey?.in_parts) return context.next(); // the next screen waits for the checks
  if (!(await findRoom(context))) return;
  if (state.faults) context.refresh();
  else context.next();
}

/** The screen of who was quicker than the checks: what she typed is looked at once they have passed, and what comes then is shown. */
export function waitingForChecks(context) {
  const { language, state } = context;
  const place = h("div", { id: "checking" });
  let looking = false;
  const update = async () => {
    if (context.engine.failed) return replace(place); // the page says why below
    if (!state.sound && !state.survey?.in_parts) return replace(place, standing(context));
    if (looking) return;
    looking = true;
    if (!(await findRoom(context)) || !place.isConnected) return; // drawn again, it asks again
    if (state.faults) context.back();
    else context.refresh();
  };
  context.live = update;
  queueMicrotask(update);
  return [
    h("h1", { tabindex: "-1" }, language.t("checks.finishing")),
    h("p", {}, language.t("checks.finishing.text")),
    place,
    h("p", { class: "actions" }, h("button", { type: "button", onclick: context.back }, language.t("back"))),
  ];
}

/**
 * Learn her room, the part of the survey that is needed to find it, or what is wrong with what she typed. False if she has
 * pressed twice, gone back or typed something else meanwhile: the answer is of what is not there any more.
 */
export async function findRoom({ engine, language, state, tell }) {
  const { step, quasi } = state;
  const given = Object.create(null);
  for (const { name } of state.survey.attributes) given[name] = quasi[name] === undefined ? "" : quasi[name];
  const { room, part, errors } = await engine.ask("place", { quasi_identifiers: given, signs: language.signs });
  if (state.step !== step || state.quasi !== quasi) return false;
  if (errors) tell({ type: "faulty", faults: errors });
  else tell(part ? { type: "parted", part } : { type: "placed", room });
  return true;
}

function enter({ tell }, field, value) {
  tell({ type: "entered", name: field.name, value });
}

function question(context, field, wrong) {
  const { language, state } = context;
  const label = language.survey(field.label);
  const help = [language.survey(field.help), domain(context, field)].filter(Boolean).join(" ");
  const described = [help && `${id(field)}-help`, wrong && `${id(field)}-error`].filter(Boolean).join(" ") || null;
  const notes = [
    help && h("p", { class: "hint", id: `${id(field)}-help` }, help),
    wrong &&
      h("p", { class: "field-error", id: `${id(field)}-error` }, h("span", { class: "visually-hidden" }, language.t("errors.prefix"), " "), message(context, field, wrong)),
  ];
  const chosen = state.quasi[field.name];
  const withheld = field.takes_missing;
  const attributes = { "aria-describedby": described, "aria-invalid": wrong ? "true" : null };
  if (field.form === "choice" && field.categories.length <= FEW) {
    const options = field.categories.map((category) => ({ value: category.value, text: language.survey(category.label), counted: counted(language, category) }));
    if (withheld) options.push({ value: null, text: language.t("you.withhold") });
    return h(
      "fieldset",
      { id: id(field), class: wrong ? "field wrong" : "field", ...attributes },
      h("legend", {}, label),
      notes,
      options.map(({ value, text, counted: note }, i) => [
        h(
          "label",
          { class: "choice" },
          h("input", {
            type: "radio",
            name: id(field),
            id: `${id(field)}-${i}`,
            checked: chosen === value,
            "aria-describedby": note ? `${id(field)}-${i}-counted` : null,
            onchange: () => enter(context, field, value),
          }),
          h("span", {}, text),
        ),
        note && h("p", { class: "hint counted", id: `${id(field)}-${i}-counted` }, note),
      ]),
    );
  }
  const input = field.form === "choice" ? select(context, field, attributes) : textInput(context, field, attributes);
  const refuse =
    withheld &&
    h(
      "label",
      { class: "choice" },
      h("input", {
        type: "checkbox",
        id: `${id(field)}-withhold`,
        checked: chosen === null,
        onchange: (event) => {
          enter(context, field, event.target.checked ? null : undefined);
          input.disabled = event.target.checked;
          if (event.target.checked) input.value = "";
        },
      }),
      h("span", {}, language.t("you.withhold")),
    );
  return h("div", { class: wrong ? "field wrong" : "field" }, h("label", { for: id(field) }, label), notes, input, list(context, field), field.labels && h("p", { class: "hint", id: `${id(field)}-counted`, role: "status" }, countedAs(language, field, chosen ?? "")), refuse);
}

function textInput(context, field, attributes) {
  const { language } = context;
  const chosen = context.state.quasi[field.name];
  return h("input", {
    type: "text",
    id: id(field),
    inputmode: field.form === "number" ? (field.fractional ? "decimal" : "numeric") : null,
    list: field.form === "entry" && field.values.length <= DATALIST_LIMIT ? `${id(field)}-list` : null,
    class: field.form === "number" ? "short" : null,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    value: shownAs(language, field, chosen ?? ""),
    disabled: chosen === null,
    ...attributes,
    oninput: (event) => {
      const value = meant(language, field, event.target.value);
      enter(context, field, value);
      tellCounted(context, field, value);
    },
  });
}

function list({ language }, field) {
  if (field.form !== "entry" || field.values.length > DATALIST_LIMIT) return null;
  return h("datalist", { id: `${id(field)}-list` }, field.values.map((value) => h("option", { value: shownAs(language, field, value) })));
}

const plainly = (text) => text.trim().toLowerCase();

/** The entry of a long list that she means: she reads labels where there are, and people are counted by values. */
function meant(language, { labels = [], values }, typed) {
  const place = labels.findIndex((label) => plainly(language.survey(label)) === plainly(typed));
  return place < 0 ? typed : values[place];
}

/** What she reads of an entry of a long list. */
export function shownAs(language, { labels, values }, value) {
  const place = labels ? values.indexOf(value.trim()) : -1;
  return place < 0 ? value : language.survey(labels[place]);
}

/** Below a long list: what the entry that she chose is counted as, where its label says something else. */
function tellCounted({ language }, field, value) {
  const place = document.getElementById(`${id(field)}-counted`);
  if (place) place.textContent = countedAs(language, field, value ?? "");
}

function countedAs(language, field, value) {
  const differs = plainly(shownAs(language, field, value)) !== plainly(value);
  return differs ? language.t("you.counted-as", { value }) : "";
}

function select(context, field, attributes) {
  const { language, state } = context;
  const chosen = state.quasi[field.name];
  return h(
    "select",
    { id: id(field), autocomplete: "off", disabled: chosen === null, ...attributes, onchange: (event) => enter(context, field, event.target.value) },
    h("option", { value: "" }, language.t("you.choose")),
    field.categories.map((category) => {
      const note = counted(language, category);
      const text = language.survey(category.label);
      return h("option", { value: category.value, selected: chosen === category.value }, note ? `${text} (${note})` : text);
    }),
  );
}

/** What a category is counted as, where its label says something else: a false label would isolate people. */
function counted(language, { counted_as: values }) {
  const value = language.survey(values);
  return value ? language.t("you.counted-as", { value }) : "";
}

/** "A number from 18 to 90", with "or older" said where the range is open. */
function domain({ language }, field) {
  if (field.form !== "number") return "";
  const figures = { low: language.number(field.minimum), high: language.number(field.maximum), step: language.number(field.step) };
  const parts = [language.t("you.number", figures)];
  if (field.step !== "1") parts.push(language.t("you.step", figures));
  if (field.open_above) parts.push(language.t("you.open-above", figures));
  if (field.open_below) parts.push(language.t("you.open-below", figures));
  return parts.join(" ");
}

function message({ language, state }, field, { code, readings }) {
  const label = language.survey(field.label);
  const typed = state.quasi[field.name];
  if (typed === undefined || typed === "") return language.t(`you.empty.${field.form}`, { label });
  if (code === "ambiguous") {
    const [first, second] = readings.map((text) => language.typeable(text));
    return language.t("you.wrong.ambiguous", { label, typed, first, second });
  }
  if (field.form === "number") {
    return language.t("you.wrong.number", {
      label,
      low: language.number(field.minimum),
      high: language.number(field.maximum),
      step: language.number(field.step),
    });
  }
  return language.t(`you.wrong.${field.form}`, { label, typed });
}
