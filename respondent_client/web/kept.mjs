// What an invited survey leaves in this tab until the answers are sent: first the request for the token, then the
// token in its place. Without it, reloading the page would burn the code. And from the moment of sending until an
// answer has come, the sealed ballot, so that the very same is sent again. Never details, nor answers unsealed.
// If she asks for it, all this outlives the tab, on this device, until the answers are sent.

const PREFIX = "roomful:";
const key = `${PREFIX}${document.getElementById("main").dataset.id}`;

const message = `${key}.message`;
const device = `${key}.device`;

/** This tab's storage, and the device's; either may be forbidden. */
const places = [() => sessionStorage, () => localStorage];

function read(name) {
  for (const place of places) {
    try {
      const text = place().getItem(name);
      if (text !== null) return text;
    } catch {
      // then nothing is there
    }
  }
  return null;
}

function write(name, text) {
  const [tab, device] = places;
  try {
    (keepsOnDevice() ? device : tab)().setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/** Whether what is kept outlives the tab: the mark of it stands on the device. */
export function keepsOnDevice() {
  try {
    return localStorage.getItem(device) !== null;
  } catch {
    return false;
  }
}

/** Keep what is there, and what follows, on the device, or in this tab alone; false if that is impossible. */
export function keepOnDevice(wanted) {
  const there = [key, message].map((name) => [name, read(name)]);
  remove([key, message, device]);
  try {
    if (wanted) localStorage.setItem(device, "");
  } catch {
    // said below
  }
  for (const [name, text] of there) if (text !== null) write(name, text);
  return keepsOnDevice() === wanted;
}

/** What was kept by an earlier load of the page, or null. */
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
  remove([key]);
  return possible;
}

export function wipe() {
  remove([key, message, device]);
}

function remove(keys) {
  for (const place of places) {
    try {
      for (const each of keys) place().removeItem(each);
    } catch {
      // then nothing is there either
    }
  }
}

/** Names under which something is kept for other surveys of this server. */
function others() {
  return places.flatMap((place) => {
    try {
      return Object.keys(place()).filter((name) => name.startsWith(PREFIX) && !name.startsWith(key));
    } catch {
      return [];
    }
  });
}

export const keepsOthers = () => others().length > 0;

export function wipeOthers() {
  remove(others());
}
