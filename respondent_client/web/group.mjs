// The room she is in: how many people share it, how she will appear, and how likely it is to fail.

import { h, replace } from "./dom.mjs";
import { drawPicture } from "./picture.mjs";
import { shownAs, waitingForChecks } from "./you.mjs";

export const group = {
  name: "group",
  stage: "group",
  render(context) {
    const { language, state } = context;
    const { room, survey } = state;
    if (!room) return waitingForChecks(context);
    return [
      h("h1", { tabindex: "-1" }, language.t("group.heading", room.people)),
      h("p", { class: "promise" }, language.t("group.share", room.people)),
      h("p", { id: "example" }, language.t(room.people.at_least ? "group.example.register" : "group.example", example(language, state))),
      survey.invited?.election && joining(language, state),
      survey.invited?.election && holders(context),
      h("p", { id: "risk" }, language.t("group.risk", risk(language, state))),
      h(
        "details",
        { id: "more" },
        h("summary", {}, language.t("group.more")),
        h("ul", {}, room.centroid.map((value) => h("li", {}, h("span", { class: "label" }, `${language.survey(value.label)}:`), " ", appearance(language, value, room.people.at_least)))),
        h("p", {}, language.t(`group.rule.${survey.release_rule}`, { k: language.number(survey.k) })),
        condition(language, survey.participation),
      ),
      pictureSection(context),
      h(
        "p",
        { class: "actions" },
        h("button", { type: "button", class: "primary", onclick: context.next }, language.t("continue")),
        h("button", { type: "button", onclick: context.back }, language.t("back")),
      ),
    ];
  },
};

/** The number of her box, her unit of law, and with whom either may be joined before anything is decrypted. */
function joining(language, { room, survey }) {
  const { boxes, unit, units } = room.joined_with;
  const figures = {
    cell: language.number(room.cell),
    k: language.number(survey.k),
    boxes: language.items(boxes.map((box) => language.number(box))),
    unit: unit && language.survey(unit),
    units: language.items(units.map((name) => language.survey(name))),
  };
  const beside = boxes.length > 0 ? ".boxes" : "";
  if (!unit) return h("p", { id: "joining" }, language.t("group.joining", figures));
  return h("p", { id: "joining" }, language.t("group.joining.unit", figures), " ", language.t(`group.joining.within${beside}`, figures), " ", language.t("group.joining.units", figures));
}

/** How many of her box hold a token, once no more are issued: before that nobody is told. */
function holders({ engine, language, state: { room } }) {
  const place = h("p", { id: "holders" });
  engine.ask("tokens").then(({ tokens }) => {
    if (tokens !== null) replace(place, language.t("group.tokens", { people: language.number(room.people.count), count: tokens }));
  });
  return place;
}

/** What may stand for her answers in the results, and her answers, each in the order of the attributes. */
function example(language, { room, survey, quasi }) {
  return {
    group: language.items(room.centroid.map((value) => inShort(language, value))),
    own: language.items(survey.attributes.map((field) => said(language, field, quasi[field.name]))),
  };
}

/** An answer of hers as she knows it. */
function said(language, field, typed) {
  const { form, categories } = field;
  if (typed === null || typed === undefined) return language.t("appear.none");
  if (form !== "choice") return shownAs(language, field, typed.trim());
  return language.survey(categories.find(({ value }) => value === typed).label);
}

/** The risk with its condition, and what it is should only half as many take part. */
function risk(language, { room, survey }) {
  const lowest = Number(survey.participation.lowest);
  return {
    k: language.number(survey.k),
    chance: language.oneIn(room.record_failure),
    half: language.oneIn(room.half_failure),
    share: language.percent(lowest),
    half_share: language.percent(lowest / 2),
  };
}

/** On what the first figure depends, and where the organizer says that the figure comes from. */
function condition(language, { lowest, kind, correlation, household_size: size, statement }) {
  const figures = { share: language.percent(Number(lowest)), correlation: language.number(correlation), size: language.number(size) };
  return [
    h("p", { class: "hint" }, language.t(`group.condition.${kind}`, figures)),
    statement && h("p", { class: "hint" }, language.t("group.source"), " ", h("q", {}, language.survey(statement))),
  ];
}

/** How she will appear in one attribute: "about 43", "female". */
function inShort(language, { numeric, text, counted_as: values }) {
  const value = language.survey(text);
  if (!value) return language.t("appear.none");
  if (numeric) return language.t("appear.number", { number: language.number(rounded(value)) });
  const counted = language.survey(values); // where the label says something else
  return counted ? `${value} (${language.t("you.counted-as", { value: counted })})` : value;
}

/** The same in full: "female (100% of the group)". */
function appearance(language, value, point) {
  const whose = point ? ".point" : ""; // of a register no mean is published
  const { numeric, text, share, missing_share: missing } = value;
  const short = inShort(language, value);
  if (!language.survey(text)) return short;
  const part = !numeric && share && Number(share) < 1;
  const parts = [part ? language.t(`appear.share${whose}`, { category: short, share: language.percent(Number(share)) }) : short];
  if (Number(missing) > 0) parts.push(language.t(`appear.missing${whose}`, { share: language.percent(Number(missing)) }));
  return parts.join("; ");
}

/** A mean to about three digits: more would pretend to a precision that it does not have. */
function rounded(text) {
  const value = Number(text);
  return String(Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
}

function pictureSection(context) {
  const { language, state } = context;
  const { axes, picture_axes: best } = state.survey;
  if (axes.length < 2) return null;
  const shown = () => state.axes ?? best;
  const figure = h("figure", { class: "picture", "aria-busy": "true" });
  const draw = async () => {
    figure.setAttribute("aria-busy", "true");
    const picture = await context.engine.ask("picture", { across: shown()[0], up: shown()[1] });
    replace(figure, drawPicture(picture, language));
    figure.removeAttribute("aria-busy");
  };
  const chooser = (place, key) =>
    h(
      "div",
      {},
      h("label", { for: `axis-${place}` }, language.t(key)),
      h(
        "select",
        { id: `axis-${place}`, autocomplete: "off", onchange: (event) => { context.tell({ type: "looking", axes: chosen(shown(), place, Number(event.target.value)) }); sync(); draw(); } },
        axes.map(({ label }, i) => h("option", { value: i, selected: shown()[place] === i }, language.survey(label))),
      ),
    );
  const choosers = h("div", { class: "axes" }, chooser(0, "picture.across"), chooser(1, "picture.up"));
  const sync = () => choosers.querySelectorAll("select").forEach((select, i) => { select.value = String(shown()[i]); });
  const section = h("details", { id: "picture", ontoggle: () => { if (section.open && !figure.hasChildNodes()) draw(); } });
  section.append(h("summary", {}, language.t("picture.heading")), h("p", {}, language.t("picture.text")), axes.length > 2 ? choosers : "", figure);
  return section;
}

/** Both axes must differ: choosing the other one's attribute swaps them. */
function chosen(axes, place, value) {
  const other = axes[1 - place] === value ? axes[place] : axes[1 - place];
  return place === 0 ? [value, other] : [other, value];
}
