// Texts of the page in the respondent's language, and numbers as she writes them.

const TEXTS = {
  en: new URL("./texts/en.json", import.meta.url),
  de: new URL("./texts/de.json", import.meta.url),
  ar: new URL("./texts/ar.json", import.meta.url),
};

const loaded = new Map();

async function load(language) {
  if (!loaded.has(language)) {
    const response = await fetch(TEXTS[language], { credentials: "omit" });
    if (!response.ok) throw new Error(`${response.status}`);
    loaded.set(language, await response.json());
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
    this.integers = new Intl.NumberFormat(own, { maximumFractionDigits: 20 });
    const parts = new Intl.NumberFormat(own).formatToParts(12345.6);
    this.decimal = parts.find(({ type }) => type === "decimal").value;
    this.group = parts.find(({ type }) => type === "group")?.value ?? "";
  }

  has(key) {
    return key in this.texts || key in this.fallback;
  }

  /**
   * A text with its {figures} put in; with a "count" the plural form of the language is taken. If it is a
   * lower bound ("at_least"), the text says so.
   */
  t(key, figures = {}) {
    const names = "count" in figures ? [`${key}.${this.plurals.select(Number(figures.count))}`, `${key}.other`, key] : [key];
    const text = lookUp(this.texts, names) ?? lookUp(this.fallback, names) ?? key;
    return text.replace(/\{([a-z_-]+)\}/g, (whole, figure) =>
      figure in figures ? (figure === "count" ? this.#count(figures) : String(figures[figure])) : whole,
    );
  }

  #count({ count, at_least: bound }) {
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
    return new Intl.NumberFormat(this.own, {
      minimumFractionDigits: Math.min(fraction.length, 20),
      maximumFractionDigits: 20,
      useGrouping: whole.replace("-", "").length > 4,
    }).format(value);
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
    const style = rounded >= 1e6 ? { notation: "compact", compactDisplay: "long" } : {};
    const number = new Intl.NumberFormat(this.own, { maximumSignificantDigits: 2, ...style }).format(rounded);
    return this.t("chance.one-in", { odds: number });
  }

  list(items) {
    return new Intl.ListFormat(this.own, { type: "conjunction" }).format(items);
  }

  percent(value) {
    return new Intl.NumberFormat(this.own, { style: "percent", maximumSignificantDigits: 3 }).format(value);
  }

  /**
   * What she typed, as a plain decimal such as "23.4"; anything that is no number comes back as it is, for the
   * attribute's own check to refuse. "1.234" in a language whose group sign is the dot is 1234, "23.4" is not
   * a grouped number in any language and stays 23.4.
   */
  plainNumber(typed) {
    let text = typed.trim().replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
    text = text.replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0));
    text = text.replace(/\u2212/g, "-").replace(/\u066b/g, ",").replace(/(\d)[\s\u00a0\u202f'\u066c](?=\d{3}(\D|$))/g, "$1");
    if (!/^[+-]?[\d.,]+$/.test(text)) return text;
    const comma = this.decimal !== ".";
    const [group, decimal] = comma ? [".", ","] : [",", "."];
    const grouped = new RegExp(`^[+-]?\\d{1,3}(\\${group}\\d{3})+(\\${decimal}\\d+)?$`);
    if (grouped.test(text)) text = text.replaceAll(group, "");
    if (comma && text.split(",").length === 2 && !text.includes(".")) text = text.replace(",", ".");
    return text;
  }
}
