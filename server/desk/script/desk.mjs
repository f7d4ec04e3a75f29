// Sliders beside number fields, questions put in order by dragging, and a word while a page is long in coming, or never.
// Without this script the fields, the lists and the buttons with arrows do the same; nothing here sends
// anything by itself but the desk's own forms.

const sign = (1.5).toLocaleString(document.documentElement.lang).charAt(1); // before decimals

/**
 * A slider that moves with a field. The field alone is sent.
 * @param {HTMLInputElement | HTMLSelectElement} field
 */
function addSlider(field) {
  const slider = document.createElement("input");
  slider.type = "range";
  slider.className = "slider";
  const label = field.labels?.[0]?.textContent ?? "";
  slider.setAttribute("aria-label", `${label.trim()} (${field.dataset.slider})`);
  if (field instanceof HTMLSelectElement) {
    [slider.min, slider.max, slider.step] = ["0", String(field.options.length - 1), "1"];
  } else {
    [slider.min, slider.max, slider.step] = (field.dataset.range ?? "0 1 1").split(" ");
  }
  const say = () => slider.setAttribute("aria-valuetext", field instanceof HTMLSelectElement ? field.selectedOptions[0]?.text ?? "" : field.value);
  const follow = () => {
    slider.value = field instanceof HTMLSelectElement ? String(field.selectedIndex) : field.value.replace(sign, ".");
    say();
  };
  slider.addEventListener("input", () => {
    if (field instanceof HTMLSelectElement) field.selectedIndex = Number(slider.value);
    else field.value = slider.value.replace(".", sign);
    say();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  field.addEventListener("input", follow);
  follow();
  field.after(slider);
}

/**
 * Questions are dragged by their handles; where one is dropped the form of its arrows is sent.
 * @param {HTMLElement} list
 */
function addDragging(list) {
  /** @type {HTMLElement | null} */
  let dragged = null;
  /** @type {HTMLElement[]} */
  const cards = Array.from(list.querySelectorAll("[data-question]"));
  const clear = () => {
    for (const card of cards) card.classList.remove("before", "after");
  };
  for (const card of cards) {
    const handle = document.createElement("span");
    handle.className = "handle";
    handle.draggable = true;
    handle.title = list.dataset.drag ?? "";
    handle.setAttribute("aria-hidden", "true"); // with the keyboard the arrows do it
    handle.textContent = "⠿";
    card.querySelector("h2")?.prepend(handle);
    handle.addEventListener("dragstart", (event) => {
      dragged = card;
      event.dataTransfer?.setData("text/plain", card.dataset.question ?? "");
      event.dataTransfer?.setDragImage(card, 10, 10);
    });
    handle.addEventListener("dragend", () => {
      dragged = null;
      clear();
    });
    const isBelow = (/** @type {DragEvent} */ event) => {
      const box = card.getBoundingClientRect();
      return event.clientY > box.top + box.height / 2;
    };
    card.addEventListener("dragover", (event) => {
      if (dragged === null || dragged === card) return;
      event.preventDefault();
      clear();
      card.classList.add(isBelow(event) ? "after" : "before");
    });
    card.addEventListener("drop", (event) => {
      if (dragged === null || dragged === card) return;
      event.preventDefault();
      const form = /** @type {HTMLFormElement} */ (dragged.querySelector("form"));
      const values = { action: "move", to: card.dataset.question ?? "", side: isBelow(event) ? "after" : "before" };
      for (const [name, value] of Object.entries(values)) {
        const field = document.createElement("input");
        [field.type, field.name, field.value] = ["hidden", name, value];
        form.append(field);
      }
      form.submit();
    });
  }
}

/**
 * Says that the next page is on its way, if it takes longer than a moment.
 * @param {HTMLElement} line
 */
function addWaiting(line) {
  let timer = 0;
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return; // htmx sends it, and says so itself
    timer = window.setTimeout(() => {
      line.textContent = line.dataset.text ?? "";
    }, 1000);
  });
  window.addEventListener("pageshow", () => {
    window.clearTimeout(timer); // the browser may bring this page back as it was left
    line.textContent = "";
  });
}

/** A form that is pressed twice at once is sent once; with what the first has done, the second would only be refused. */
function addOnce() {
  document.addEventListener("click", (event) => {
    if (event.detail > 1 && /** @type {Element} */ (event.target).closest("form button")) event.preventDefault();
  });
}

/**
 * Where a part of the page was asked for and does not come, it says so: what stood there may be of other entries.
 * @param {string} words
 */
function addLost(words) {
  for (const kind of ["htmx:responseError", "htmx:sendError"]) {
    document.body.addEventListener(kind, (event) => {
      const notice = document.createElement("p");
      notice.className = "warning";
      notice.setAttribute("role", "alert");
      notice.textContent = words;
      /** @type {CustomEvent} */ (event).detail.target.replaceChildren(notice);
    });
  }
}

for (const field of document.querySelectorAll("[data-slider]")) {
  addSlider(/** @type {HTMLInputElement | HTMLSelectElement} */ (field));
}
addOnce();
const questions = document.getElementById("in-order");
if (questions !== null) addDragging(questions);
const waiting = document.getElementById("waiting");
if (waiting !== null) {
  addWaiting(waiting);
  addLost(waiting.dataset.lost ?? "");
}
