// What an invited survey leaves in this tab until the answers are sent: first the request for the token, then the
// token in its place. Without it, reloading the page would burn the code. And from the moment of sending until an
// answer has come, the sealed ballot, so that the very same is sent again. Never details, nor answers unsealed.

const PREFIX = "roomful:";
const key = `${PREFIX}${document.getElementById("main").dataset.id}`;

const message = `${key}.message`;

function read(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function write(name, text) {
  try {
    sessionStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/** What was kept by an earlier load of the page in this tab, or null. */
export const kept = () => read(key);
export const keptMessage = () => read(message);

/** Whether it could be kept. */
export const keep = (text) => write(key, text);
export const keepMessage = (text) => write(message, text);

/** Whether this browser keeps anything at all; what is there stays as it is. */
export function keeps() {
  const before = kept();
  if (before !== null) return true;
  const possible = keep("?");
  wipe();
  return possible;
}

export function wipe() {
  remove([key, message]);
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
    return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX) && !name.startsWith(key));
  } catch {
    return [];
  }
}

export const keepsOthers = () => others().length > 0;

export function wipeOthers() {
  remove(others());
}
