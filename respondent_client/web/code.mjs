// A text as a QR code: squares of an SVG, made by DOM calls.

import { s } from "./dom.mjs";

/**
 * The picture of a code; `label` says to those who cannot see it what it holds; `ecc`: how much damage it bears.
 *
 * @param {string} text
 * @param {string} label
 * @param {"low" | "medium" | "quartile" | "high"} [ecc]
 */
export async function codePicture(text, label, ecc = "medium") {
  const { encodeQR } = await import("./qr.mjs");
  const rows = encodeQR(text, "raw", { border: 4, ecc });
  let path = "";
  rows.forEach((row, y) =>
    row.forEach((dark, x) => {
      if (dark) path += `M${x} ${y}h1v1h-1z`;
    }),
  );
  const side = rows.length;
  return s(
    "svg",
    { class: "qr", viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    s("rect", { width: side, height: side, fill: "#ffffff" }),
    s("path", { d: path, fill: "#000000" }),
  );
}
