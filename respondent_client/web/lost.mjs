// A part of the page has not arrived, and nothing can be said before it is there: the server has written the words.

/** Show them; `again` loads the page once more. @param {() => void} again */
export function tellLost(again) {
  document.getElementById("lost").hidden = false;
  document.getElementById("load-again").addEventListener("click", again);
}
