// The one thing that an invited survey leaves in this tab until the answers are sent: first the request for the
// token, then the token in its place. Without it, reloading the page would burn the code. Never answers or details.

const key = `roomful:${document.getElementById("main").dataset.id}`;

/** What was kept by an earlier load of the page in this tab, or null. */
export function kept() {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Whether it could be kept. */
export function keep(text) {
  try {
    sessionStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

export function wipe() {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // then nothing is there either
  }
}
