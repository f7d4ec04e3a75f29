// Everything that the page knows, and how it changes: a state and an event give the next state, and nothing else does.
//
// The worker holds what Python knows; this is the page's side. No function here touches the page, a clock or the network.

/** Where she is, what was checked, what she entered, and what became of it. */
export const initial = () => ({
  step: 0,
  furthest: 0,
  progress: { loaded: 0, total: 0 },
  failure: null, // why Python cannot run here
  notice: null, // how far a long check is
  asked: null, // what the survey asks, as it was looked at before Python was there
  uncompared: null, // the same, until she has compared words
  compared: "", // the words that she found to be those of her invitation before Python was there
  survey: null, // what the checks let through
  unreached: false, // whether the server could not be reached, and will be asked again
  sound: false, // whether the last of them has passed: before that no group is shown and nothing is sent
  compare: false, // whether she has to compare words first
  words: "",
  lines: [], // the checks
  refused: null,
  fragment: "", // of the link, with code and token, which have left the address
  other: null, // fragment of another link that was opened meanwhile
  leaving: false,
  invitation: null, // of an invited survey: code, token, what is under way
  quasi: Object.create(null), // name -> what she typed, or null for "prefer not to say"
  faults: null, // what was wrong with it, if that was found a step later
  part: null, // of the survey, which has to be loaded before her group can be found
  room: null,
  axes: null, // of the picture
  questionsLost: false,
  answers: Object.create(null), // as typed or chosen, by question
  emptyPages: new Set(), // pages of questions of which her answers hide every one
  accepted: new Map(), // question -> what was typed, and as what it passed
  message: null,
  tested: null, // the ballot of an election that was given away to be tested
  when: "now", // an invited survey: or at a "random" moment
  waiting: null, // until that moment
  sending: false, // whether it is on its way just now, or sealed for it
  tried: false, // whether it was ever on its way
  problem: null, // why it could not be sent
  receipt: null,
});

/** @typedef {ReturnType<typeof initial>} State */

/** A name may be one that every object has, such as "constructor". */
const withEntry = (record, name, value) => {
  const next = Object.assign(Object.create(null), record);
  if (value === undefined) delete next[name];
  else next[name] = value;
  return next;
};

/** What is dropped when nothing of it may be used any more. */
const nothingEntered = () => ({ quasi: Object.create(null), faults: null, answers: Object.create(null), emptyPages: new Set(), accepted: new Map(), part: null, room: null, message: null, tested: null });

/** @type {Record<string, (state: any, event: any) => object>} */
const EVENTS = {
  // Of the engine
  progress: (_, { progress }) => ({ progress }),
  failed: (_, { failure }) => ({ failure }),
  notice: (_, { notice }) => ({ notice }),
  // Of the checks
  looked: (_, { asked }) => (asked.words ? { uncompared: asked, words: asked.words, compare: true } : { asked }),
  compared: ({ uncompared, words }) => ({ asked: uncompared, compared: words, compare: false }),
  unreached: () => ({ unreached: true }),
  asks: () => ({ unreached: false }), // once more
  examined: (state, { found }) => (found.refused ? { ...kept(found), ...refusal(found.refused) } : { ...kept(found), sound: found.sound === true, refused: state.refused }),
  refused: (_, { refused }) => refusal(refused),
  // Of the way
  linked: (_, { fragment }) => ({ fragment }),
  went: (state, { step }) => ({ step, furthest: Math.max(state.furthest, step), ...(step === state.step ? {} : { problem: null, tested: null, message: null }) }),
  ahead: (state, { step }) => ({ furthest: Math.max(state.furthest, step) }),
  changed: (state) => ({ furthest: state.step }), // later steps depend on what was changed
  other: (_, { fragment }) => ({ other: fragment }),
  leaving: () => ({ leaving: true }),
  // Of what she enters
  invitation: (state, { changes }) => ({ invitation: changes && { ...state.invitation, ...changes } }),
  entered: (state, { name, value }) => ({ quasi: withEntry(state.quasi, name, value), furthest: state.step }),
  faulty: (_, { faults }) => ({ faults }),
  parted: (_, { part }) => ({ part, room: null }),
  placed: (_, { room }) => ({ room, part: null }),
  looking: (_, { axes }) => ({ axes }),
  questions: (_, { lost }) => ({ questionsLost: lost }),
  answered: (state, { answers }) => ({ answers, furthest: state.step }),
  hidden: (_, { pages }) => ({ emptyPages: new Set(pages) }),
  accepted: (state, { accepted }) => ({ accepted: new Map([...state.accepted, ...accepted]) }),
  // Of the sending
  composed: (_, { message }) => ({ message }),
  casts: () => ({ sending: true, problem: null }),
  cast: (_, { message }) => ({ message, sending: false }),
  tested: (_, { tested }) => ({ tested, message: null }),
  chose: (_, { when }) => ({ when }),
  waits: (_, { waiting }) => ({ waiting }),
  sends: (state) => ({ sending: true, tried: true, when: state.waiting ? "now" : state.when, waiting: null, problem: null }), // she has waited once
  unsent: (_, { problem }) => ({ sending: false, problem }),
  sent: (_, { receipt }) => ({ ...nothingEntered(), receipt, invitation: null, sending: false }),
};

const refusal = (refused) => ({ ...nothingEntered(), refused, survey: null, sound: false, asked: null, uncompared: null });

const kept = ({ lines, words, compare, survey }) => ({ lines, words, compare, survey });

/**
 * The state after an event; the state before it stays as it is.
 *
 * @param {State} state
 * @param {{ type: string, [detail: string]: any }} event
 * @returns {State}
 */
export function reduce(state, event) {
  return { ...state, ...EVENTS[event.type](state, event) };
}

/** What "About you" asks, as soon as anything is known of it. @param {State} state */
export const asked = ({ survey, asked: early }) => survey ?? early;

/**
 * Whether something would be lost with the page.
 *
 * @param {State} state
 * @param {boolean} onDevice whether what is kept outlives this tab
 */
export function holds({ receipt, invitation, quasi, answers }, onDevice) {
  const { token, saved, pending } = invitation ?? {};
  const request = !onDevice && ((token && !saved) || pending); // it exists in this tab alone, and its code may be spent
  return !receipt && (request || Object.keys(quasi).length > 0 || Object.keys(answers).length > 0);
}
