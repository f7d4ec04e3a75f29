// Step 4: the room she is in. How many people share it, how she will appear, and how likely it is to fail.

import { h, replace } from "./dom.mjs";
import { drawPicture } from "./picture.mjs";

export const group = {
  name: "group",
  stage: "group",
  render(context) {
    const { language, state } = context;
    const { room, survey } = state;
    return [
      h("h1", { tabindex: "-1" }, language.t("group.heading", room.people)),
      h("p", { class: "promise" }, language.t("group.promise", room.people)),
      h(
        "dl",
        { class: "facts" },
        h("dt", {}, language.t("group.appear")),
        h("dd", {}, room.people.at_least && h("p", { class: "hint" }, language.t("group.appear.register")), h("ul", {}, room.centroid.map((value) => h("li", {}, h("span", { class: "label" }, `${language.survey(value.label)}:`), " ", appearance(language, value, room.people.at_least))))),
        h("dt", {}, language.t("group.chance", { k: language.number(survey.k) })),
        h("dd", {}, h("strong", {}, language.oneIn(room.record_failure)), h("p", { class: "hint" }, language.t(`group.rule.${survey.release_rule}`, { k: language.number(survey.k) }))),
        h("dt", {}, language.t("group.half")),
        h("dd", { id: "half" }, h("strong", {}, language.oneIn(room.half_failure)), condition(language, survey.participation)),
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

/** On what the first chance depends, and where the organizer says that the figure comes from. */
function condition(language, { lowest, kind, correlation, household_size: size, statement }) {
  const figures = { share: language.percent(Number(lowest)), correlation: language.number(correlation), size: language.number(size) };
  return [
    h("p", { class: "hint" }, language.t(`group.condition.${kind}`, figures)),
    statement && h("p", { class: "hint" }, language.t("group.source"), " ", h("q", {}, language.survey(statement))),
  ];
}

/** How she will appear in one attribute: "about 43", "female (100% of the group)". */
function appearance(language, { numeric, text, counted_as: values, share, missing_share: missing }, point) {
  const whose = point ? ".point" : ""; // of a register no mean is published
  const counted = language.survey(values);
  const value = language.survey(text) && [language.survey(text), counted && `(${language.t("you.counted-as", { value: counted })})`].filter(Boolean).join(" ");
  const parts = [];
  if (!value) parts.push(language.t("appear.none"));
  else if (numeric) parts.push(language.t("appear.number", { number: language.number(rounded(value)) }));
  else if (share && Number(share) < 1) parts.push(language.t(`appear.share${whose}`, { category: value, share: language.percent(Number(share)) }));
  else parts.push(value);
  if (value && Number(missing) > 0) parts.push(language.t(`appear.missing${whose}`, { share: language.percent(Number(missing)) }));
  return parts.join("; ");
}

/** A mean to about three digits: more would pretend to a precision that it does not have. */
function rounded(text) {
  const value = Number(text);
  return String(Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
}

function pictureSection(context) {
  const { language, state } = context;
  const axes = state.survey.axes;
  if (axes.length < 2) return null;
  state.axes ??= state.survey.picture_axes;
  const figure = h("figure", { class: "picture", "aria-busy": "true" });
  const draw = async () => {
    figure.setAttribute("aria-busy", "true");
    const picture = await context.engine.ask("picture", { across: state.axes[0], up: state.axes[1] });
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
        { id: `axis-${place}`, autocomplete: "off", onchange: (event) => { choose(state.axes, place, Number(event.target.value)); sync(); draw(); } },
        axes.map(({ label }, i) => h("option", { value: i, selected: state.axes[place] === i }, language.survey(label))),
      ),
    );
  const choosers = h("div", { class: "axes" }, chooser(0, "picture.across"), chooser(1, "picture.up"));
  const sync = () => choosers.querySelectorAll("select").forEach((select, i) => { select.value = String(state.axes[i]); });
  draw();
  return h("section", {}, h("h2", {}, language.t("picture.heading")), h("p", {}, language.t("picture.text")), axes.length > 2 && choosers, figure);
}

/** Both axes must differ: choosing the other one's attribute swaps them. */
function choose(axes, place, value) {
  if (axes[1 - place] === value) axes[1 - place] = axes[place];
  axes[place] = value;
}
