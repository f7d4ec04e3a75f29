// The part of a link after the "#": <digest>.<key>.<code>.<token>. Digest and key name the survey and may stay in
// the address; code and token are secrets, and leave it, the tab's history and every bookmark made later.

const CODE_AT = 2;
const ENDS = /([>)\]}"'.,;:!?]|%(3E|7D|22|5D|C2%BB|E2%80%9[9D]))+$/i; // what a mail program puts behind a link

/** The part that names the survey and holds no secret. */
export function pinned(fragment) {
  return fragment.split(".").slice(0, CODE_AT).join(".");
}

/** Whether digest or key cannot be those of any survey: a link that was cut, or has a bracket at its end. */
export function isDamaged(fragment) {
  const [digest, key = "", ...more] = fragment.split(".");
  return more.length > 2 || !/^([0-9a-f]{64})?$/.test(digest) || !/^([A-Za-z0-9_-]{43})?$/.test(key);
}

/** The whole fragment of the address, in which only `shown` is left. @param {{ step?: number, shown?: string }} [left] */
export function takeFragment({ step = 0, shown } = {}) {
  const fragment = location.hash.slice(1).replace(ENDS, "");
  const left = shown ?? pinned(fragment);
  history.replaceState({ step }, "", `${location.pathname}${location.search}${left && `#${left}`}`);
  return fragment;
}

/**
 * Let the links to other languages be followed, now that they take along what `fragment` says then.
 *
 * @param {() => string} fragment
 * @param {AddEventListenerOptions} [options]
 */
export function takeAlong(fragment, options = {}) {
  const languages = document.getElementById("languages");
  languages?.addEventListener("click", (event) => {
    const link = /** @type {HTMLAnchorElement} */ (/** @type {Element} */ (event.target).closest("[data-language]"));
    if (link) link.hash = fragment();
  }, options);
  languages?.classList.remove("early");
}

/** Load the page afresh with a link whose secrets have left the address. */
export function reopen(fragment) {
  history.replaceState({ step: 0 }, "", `${location.pathname}${location.search}#${fragment}`);
  location.reload();
}
