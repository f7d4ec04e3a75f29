// Signed documents (DSSE, shared/envelope.py) and the encodings in them, for the board's page and for the look that the
// respondent's page takes at a specification before Python is there.

import { isKey, verifies } from "./ed25519.mjs";

export const SPECIFICATION_TYPE = "application/vnd.roomful.specification.v1+json";
const encoder = new TextEncoder();

export class Refused extends Error {}

/** @param {unknown} condition @param {string} reason */
export function require(condition, reason) {
  if (!condition) throw new Refused(reason);
}

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const bytesOfHex = (text) => Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
export const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
export const text = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

export function bytesOfBase64(encoded) {
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  require(base64(bytes) === encoded, "base64");
  return bytes;
}

function base64(bytes) {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}

export const keyText = (bytes) => base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

export function keyBytes(encoded) {
  require(/^[A-Za-z0-9_-]{43}$/.test(encoded), "key");
  const key = bytesOfBase64(`${encoded.replaceAll("-", "+").replaceAll("_", "/")}=`);
  require(isKey(key), "key");
  return key;
}

/** Payload and keys of a DSSE envelope all of whose signatures verify; the first is to be by one of the `permitted`. */
export async function openEnvelope(data, type, permitted) {
  const document = JSON.parse(text(data));
  const { payload, payloadType, signatures } = document;
  const canonical = { payload, payloadType, signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig })) };
  require(JSON.stringify(canonical) === text(data), "envelope");
  require(payloadType === type && signatures.length >= 1 && signatures.length <= 16, "envelope");
  const body = bytesOfBase64(payload);
  const head = encoder.encode(`DSSEv1 ${encoder.encode(type).length} ${type} ${body.length} `);
  const message = new Uint8Array([...head, ...body]);
  const keys = [];
  for (const { keyid, sig } of signatures) {
    require(keyid.startsWith("ed25519:"), "envelope");
    const key = keyBytes(keyid.slice(8));
    require(await verifies(key, bytesOfBase64(sig), message), "signature");
    keys.push(keyid.slice(8));
  }
  require(new Set(keys).size === keys.length, "envelope");
  require(permitted === null || permitted.includes(keys[0]), "key");
  return { body, key: keys[0], further: keys.length - 1 };
}
