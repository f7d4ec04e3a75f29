// Building the page by DOM calls only: no markup from strings, so no text can become markup.

/** An element; properties starting with "on" are listeners, null and false ones are left out. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Show this and nothing else in a place. */
export function replace(place, ...children) {
  place.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

/** The list of what has to be corrected; it takes the focus, and each line leads to its field. */
export function errorSummary(heading, errors) {
  const summary = h(
    "div",
    { class: "notice error", role: "alert", tabindex: "-1", id: "error-summary" },
    h("h2", {}, heading),
    h(
      "ul",
      {},
      errors.map(({ field, message }) =>
        h(
          "li",
          {},
          field
            ? h("a", { href: `#${field}`, onclick: (event) => { event.preventDefault(); toField(field); } }, message)
            : message,
        ),
      ),
    ),
  );
  return summary;
}

/** Move the focus to a field without touching the address. */
export function toField(id) {
  const field = document.getElementById(id);
  if (!field) return;
  const inside = field.matches("fieldset, div") ? field.querySelector("input, select, textarea") : null;
  const target = /** @type {HTMLElement} */ (inside ?? field);
  target.focus();
  target.scrollIntoView({ block: "center" });
}
