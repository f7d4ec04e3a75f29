// The one thing that an invited survey leaves in this tab until the answers are sent: first the request for the
// token, then the token in its place. Without it, reloading the page would burn the code. Never answers or details.

const PREFIX = "roomful:";
const key = `${PREFIX}${document.getElementById("main").dataset.id}`;

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

/** Whether this browser keeps anything at all; what is there stays as it is. */
export function keeps() {
  const before = kept();
  if (before !== null) return true;
  const possible = keep("?");
  wipe();
  return possible;
}

export function wipe() {
  remove([key]);
}

function remove(keys) {
  try {
    for (const each of keys) sessionStorage.removeItem(each);
  } catch {
    // then nothing is there either
  }
}

/** Names under which this tab keeps something for other surveys of this server. */
function others() {
  try {
    return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX) && name !== key);
  } catch {
    return [];
  }
}

export const keepsOthers = () => others().length > 0;

export function wipeOthers() {
  remove(others());
}
