// Joining once more, in the other language (shared/joining.py has the first): one table of counts a line on
// standard input, as [order, points, weights, counts, minimum]; its segments a line on standard output.

import { createInterface } from "node:readline";

/** Segments [first, behind] of the row with none or at least `minimum` answers and least loss; null if too few. */
export function join({ order, points, weights, counts, minimum }) {
  const cells = order.map((cell) => ({ count: BigInt(counts[cell]), point: points[cell].map(BigInt) }));
  const w = weights.map(BigInt);
  const k = BigInt(minimum);
  const total = cells.reduce((sum, { count }) => sum + count, 0n);
  if (total < k) return null;
  const largest = cells.reduce((most, { count }) => (count > most ? count : most), 0n);
  const least = [0n];
  const starts = [];
  for (let end = 1; end <= cells.length; end += 1) {
    if (cells[end - 1].count === 0n) {
      least.push(least.at(-1));
      starts.push(end - 1);
      continue;
    }
    let [best, start, n, square] = [null, -1, 0n, 0n];
    const sums = w.map(() => 0n);
    for (let begin = end - 1; begin >= 0 && n < 2n * k + largest; begin -= 1) {
      const { count, point } = cells[begin];
      if (count === 0n) continue;
      n += count;
      point.forEach((x, j) => {
        square += w[j] * count * x * x;
        sums[j] += count * x;
      });
      if (n < k || least[begin] === null) continue;
      const loss = (n * square - sums.reduce((sum, s, j) => sum + w[j] * s * s, 0n)) / n;
      if (best === null || least[begin] + loss < best) [best, start] = [least[begin] + loss, begin];
    }
    least.push(best);
    starts.push(start);
  }
  const segments = [];
  for (let end = cells.length; end > 0; end = starts[end - 1]) segments.unshift([starts[end - 1], end]);
  return segments;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [order, points, weights, counts, minimum] = JSON.parse(line);
  console.log(JSON.stringify(join({ order, points, weights, counts, minimum })));
}
