// Joining once more, in the other language (shared/joining.py has the first): one table of counts a line on
// standard input, as [order, points, weights, units, counts, minimum]; its segments a line on standard output.

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

/** Whole units first, each at the mean of its answers, and then the cells of each stretch of units. */
export function joinWithin({ order, points, weights, units, counts, minimum }) {
  if (units.length === 0) return join({ order, points, weights, counts, minimum });
  const sums = units.map(([first, end]) => order.slice(first, end).reduce((sum, cell) => sum + counts[cell], 0));
  const mean = ([first, end], unit) =>
    weights.map((_, j) => {
      const sum = order.slice(first, end).reduce((total, cell) => total + BigInt(counts[cell]) * BigInt(points[cell][j]), 0n);
      const n = BigInt(sums[unit] || 1);
      return sum / n - (sum % n < 0n ? 1n : 0n); // rounded down, as BigInt rounds towards 0
    });
  const stretches = join({ order: units.map((_, i) => i), points: units.map(mean), weights, counts: sums, minimum });
  return stretches && stretches.flatMap(([a, b]) => {
    const [start, end] = [units[a][0], units[b - 1][1]];
    const cells = order.slice(start, end);
    const part = { order: cells.map((_, i) => i), points: cells.map((cell) => points[cell]), counts: cells.map((cell) => counts[cell]) };
    const inner = join({ ...part, weights, minimum }) ?? cells.map((_, i) => [i, i + 1]);
    return inner.map(([first, behind]) => [start + first, start + behind]);
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const [order, points, weights, units, counts, minimum] = JSON.parse(line);
  console.log(JSON.stringify(joinWithin({ order, points, weights, units, counts, minimum })));
}
