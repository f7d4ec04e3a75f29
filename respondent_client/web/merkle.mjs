// The Merkle tree of RFC 6962 with WebCrypto, as shared/merkle.py: the list in the browser, a root, a proof.

const TOGETHER = 2048; // hashes that are asked for at once

export const HASH_BYTES = 32;

export async function sha256(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export const leafHash = (entry) => sha256([0], entry);
const nodeHash = (left, right) => sha256([1], left, right);

async function inTurns(count, make) {
  const made = [];
  for (let start = 0; start < count; start += TOGETHER) {
    const part = Array.from({ length: Math.min(TOGETHER, count - start) }, (_, i) => make(start + i));
    made.push(...(await Promise.all(part)));
  }
  return made;
}

/** All hashes from the leaves to the root, level by level; a last node without a partner rises unchanged. */
export async function treeOf(entries) {
  let level = await inTurns(entries.length, (i) => leafHash(entries[i]));
  const levels = level.length ? [level] : [];
  while (level.length > 1) {
    const below = level;
    level = await inTurns(below.length >> 1, (i) => nodeHash(below[2 * i], below[2 * i + 1]));
    if (below.length % 2) level.push(below.at(-1));
    levels.push(level);
  }
  return { levels, size: entries.length, root: levels.length ? levels.at(-1)[0] : await sha256() };
}

/** Inclusion proof of an entry, from its sibling up (RFC 9162, section 2.1.3.1). */
export function proofOf(tree, index) {
  const proof = [];
  for (const level of tree.levels.slice(0, -1)) {
    if ((index ^ 1) < level.length) proof.push(level[index ^ 1]);
    index >>= 1;
  }
  return proof;
}

/** The root that a proof leads to (RFC 9162, section 2.1.3.2), or null if it cannot belong to this place. */
export async function rootFromProof({ leaf, index, size, proof }) {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size)) return null;
  let node = leaf;
  let last = size - 1;
  for (const sibling of proof) {
    if (last === 0 || sibling.length !== HASH_BYTES) return null;
    if (index % 2 || index === last) {
      node = await nodeHash(sibling, node);
      while (index % 2 === 0 && index) {
        index >>= 1;
        last >>= 1;
      }
    } else {
      node = await nodeHash(node, sibling);
    }
    index >>= 1;
    last >>= 1;
  }
  return last === 0 ? node : null;
}
