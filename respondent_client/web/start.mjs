// The first script of the page, in every state of the survey: code and token leave the address before anything else
// is loaded. Then the rest of an open survey's page comes, or a word that it did not. A board that is not there yet
// has this script too, for the receipt in a link to it.

import { reopen, takeAlong, takeFragment } from "./fragment.mjs";
import { tellLost } from "./lost.mjs";
import { tellMoments } from "./moments.mjs";

const fragment = takeFragment();
const alone = new AbortController(); // until the rest of the page is there, which knows what is still to be taken along
takeAlong(() => fragment, { signal: alone.signal });

async function load() {
  const { main } = await import("./app.mjs");
  await main(fragment);
  alone.abort();
}

document.getElementById("late")?.remove();
tellMoments();

if (document.getElementById("start")) {
  load().catch(() => tellLost(() => reopen(fragment)));
}
