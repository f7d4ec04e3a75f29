// Moments as they are told where she is: the server knows no time zone of hers, and writes them in UTC.

/** @type {Intl.DateTimeFormatOptions} */
const FORM = { weekday: "long", year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" };

export const momentText = (language, moment) => new Intl.DateTimeFormat(language, FORM).format(new Date(moment));

/** Tell every moment that the server has written. */
export function tellMoments() {
  for (const place of document.querySelectorAll("time")) place.textContent = momentText(document.documentElement.lang, place.dateTime);
}
