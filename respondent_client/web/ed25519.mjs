// What counts as a key: the same as in shared/ed25519.py, which explains the arithmetic. The equation of a signature
// is WebCrypto's. Only what everybody knows is calculated here, so it need not take constant time.

const P = 2n ** 255n - 19n;
const D = modulo(-121665n * inverse(121666n));
const A = 486662n;
const HALF = (P + 1n) / 2n;
const SQRT_MINUS_1 = power(2n, (P - 1n) / 4n);
const RFC_8032 = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

function modulo(number) {
  const rest = number % P;
  return rest < 0n ? rest + P : rest;
}

function power(base, exponent) {
  let result = 1n;
  for (let square = modulo(base), rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % P) {
    if (rest & 1n) result = (result * square) % P;
  }
  return result;
}

function inverse(number) {
  return power(number, P - 2n);
}

/** A root modulo P, or null. */
function squareRoot(number) {
  const square = modulo(number);
  let root = power(square, (P + 3n) / 8n);
  if ((root * root) % P !== square) root = (root * SQRT_MINUS_1) % P;
  return (root * root) % P === square ? root : null;
}

/** Whether 32 bytes are the canonical encoding of a point of prime order: not of small order, not of mixed order. */
export function isKey(key) {
  if (key.length !== 32) return false;
  const y = BigInt(`0x${[...key].reverse().map((byte) => byte.toString(16).padStart(2, "0")).join("")}`) & ((1n << 255n) - 1n);
  if (y >= P || y === 1n || y === P - 1n) return false;
  if (squareRoot((y * y - 1n) * inverse(D * y * y + 1n)) === null) return false; // no point of the curve
  let u = modulo((1n + y) * inverse(1n - y));
  for (let halved = 0; halved < 2; halved += 1) {
    const root = squareRoot(u * u + A * u + 1n);
    if (root === null) return false;
    let total = 2n * (u + root);
    let difference = squareRoot(total * total - 4n);
    if (difference === null) {
      total = 2n * (u - root);
      difference = squareRoot(total * total - 4n) ?? 0n;
    }
    u = modulo((total + difference) * HALF);
  }
  return squareRoot(u) !== null;
}

/** Whether a signature is one of this message by this key. */
export async function verifies(key, signature, message) {
  if (!isKey(key)) return false;
  try {
    return await crypto.subtle.verify({ name: "Ed25519" }, await imported(key), signature, message);
  } catch {
    return false;
  }
}

/** Whether this browser can verify Ed25519 at all. */
export async function canVerify() {
  try {
    await imported(Uint8Array.from(RFC_8032.match(/../g), (pair) => parseInt(pair, 16)));
    return true;
  } catch {
    return false;
  }
}

const imported = (key) => crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
