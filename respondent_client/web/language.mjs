// Texts of the page in the respondent's language, and numbers as she writes them.

import { bring } from "./request.mjs";

const TEXTS = {
  en: new URL("./texts/en.json", import.meta.url),
  de: new URL("./texts/de.json", import.meta.url),
  ar: new URL("./texts/ar.json", import.meta.url),
  fr: new URL("./texts/fr.json", import.meta.url),
};

const loaded = new Map();

async function load(language) {
  if (!loaded.has(language)) {
    loaded.set(language, JSON.parse(new TextDecoder().decode(await bring(TEXTS[language]))));
  }
  return loaded.get(language);
}

function lookUp(texts, names) {
  return texts[names.find((name) => name in texts)];
}

/** The page's own texts exist in fewer languages than surveys do; English stands in for the others. */
export async function chooseLanguage(language) {
  const base = language.split("-")[0];
  const own = base in TEXTS ? base : "en";
  return new Language(language, own, await load(own), await load("en"));
}

export class Language {
  constructor(code, own, texts, fallback) {
    this.code = code; // of the survey's texts
    this.own = own; // of the page's texts
    this.texts = texts;
    this.fallback = fallback;
    this.direction = texts.direction;
    this.plurals = new Intl.PluralRules(own);
    // Numbers are written and read as the survey's language does, even where the page's own texts are English.
    this.numbers = Intl.NumberFormat.supportedLocalesOf(code).length > 0 ? code : own;
    const parts = new Intl.NumberFormat(this.numbers).formatToParts(1234567.8);
    const sign = (name) => parts.find(({ type }) => type === name)?.value ?? "";
    this.signs = { decimal: sign("decimal"), group: sign("group") };
  }

  has(key) {
    return key in this.texts || key in this.fallback;
  }

  /**
   * A text with its {figures} put in; with a "count" the plural form of the language is taken. If it is a
   * lower bound ("at_least"), the text says so.
   *
   * @param {string} key
   * @param {Record<string, any>} [figures]
   */
  t(key, figures = {}) {
    const names = "count" in figures ? [`${key}.${this.plurals.select(Number(figures.count))}`, `${key}.other`, key] : [key];
    const text = lookUp(this.texts, names) ?? lookUp(this.fallback, names) ?? key;
    return text.replace(/\{([a-z_-]+)\}/g, (whole, figure) =>
      figure in figures ? (figure === "count" ? this.#count(figures) : String(figures[figure])) : whole,
    );
  }

  #count({ count = null, at_least: bound = null }) {
    return bound ? this.t("at-least", { number: this.number(count) }) : this.number(count);
  }

  /** A text of the survey, which has one per language. */
  survey(texts) {
    return texts[this.code] ?? Object.values(texts)[0] ?? "";
  }

  /** An exact decimal as this language writes it. */
  number(text) {
    const value = String(text);
    if (!/^-?\d+(\.\d+)?$/.test(value)) return value;
    const [whole, fraction = ""] = value.split(".");
    return new Intl.NumberFormat(this.numbers, {
      minimumFractionDigits: Math.min(fraction.length, 20),
      maximumFractionDigits: 20,
      useGrouping: whole.replace("-", "").length > 4,
    }).format(/** @type {any} */ (value)); // a text keeps every digit
  }

  /** A day as this language writes it. */
  day(text) {
    return new Intl.DateTimeFormat(this.numbers, { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${text}T00:00:00Z`));
  }

  /** A probability as "1 in a million"; never rounded to the reassuring side by more than two digits. */
  oneIn(text) {
    const probability = Number(text);
    if (!(probability > 0)) return this.t("chance.never");
    if (probability > 0.05) return this.t("chance.percent", { percent: this.percent(probability) });
    const odds = 1 / probability;
    if (odds >= 1e15) return this.t("chance.astronomical");
    const digits = 10 ** Math.max(0, Math.floor(Math.log10(odds)) - 1);
    const rounded = Math.floor((odds * (1 + 1e-12)) / digits) * digits;
    const style = /** @type {Intl.NumberFormatOptions} */ (rounded >= 1e6 ? { notation: "compact", compactDisplay: "long" } : {});
    const number = new Intl.NumberFormat(this.numbers, { maximumSignificantDigits: 2, ...style }).format(rounded);
    return this.t("chance.one-in", { odds: number });
  }

  /** A decimal in the form in which it can be typed and not be mistaken: no sign between thousands. */
  typeable(text) {
    return text.replace(".", this.signs.decimal);
  }

  /** In the survey's language, of which the items are. */
  list(items) {
    return new Intl.ListFormat(this.numbers, { type: "conjunction" }).format(items);
  }

  /** Values side by side, as in a table: nothing is said of how they hang together. */
  items(items) {
    return new Intl.ListFormat(this.numbers, { type: "unit", style: "short" }).format(items);
  }

  /** A length in bytes as people read it. */
  size(bytes) {
    const [unit, factor] = bytes < 1e6 ? ["kilobyte", 1e3] : ["megabyte", 1e6];
    return new Intl.NumberFormat(this.numbers, { style: "unit", unit, maximumSignificantDigits: 2 }).format(bytes / factor);
  }

  percent(value) {
    return new Intl.NumberFormat(this.numbers, { style: "percent", maximumSignificantDigits: 3 }).format(value);
  }
}
