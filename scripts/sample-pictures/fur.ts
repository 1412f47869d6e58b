import { handles, pair, seeded, wrapped, type Point } from './geometry.ts';

/** Walks the closed curve in equal steps, because tufts of fur need an even rhythm. */
function walk(outline: readonly Point[], step: number): Point[] {
  const dense: Point[] = [];
  for (const [index, from] of outline.entries()) {
    const to = wrapped(outline, index + 1);
    const [a, b] = handles(wrapped(outline, index - 1), from, to, wrapped(outline, index + 2));
    for (let part = 0; part < 24; part += 1) {
      const t = part / 24;
      const at = (axis: 0 | 1): number =>
        (1 - t) ** 3 * from[axis] + 3 * (1 - t) ** 2 * t * a[axis] + 3 * (1 - t) * t * t * b[axis] + t ** 3 * to[axis];
      dense.push([at(0), at(1)]);
    }
  }
  const lengths = dense.map((from, index) => {
    const to = wrapped(dense, index + 1);
    return Math.hypot(to[0] - from[0], to[1] - from[1]);
  });
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const count = Math.max(8, Math.round(total / step));
  const result: Point[] = [];
  let index = 0;
  let passed = 0;
  for (let stop = 0; stop < count; stop += 1) {
    const target = (total * stop) / count;
    while (passed + (lengths[index] ?? 0) < target && index < dense.length - 1) {
      passed += lengths[index] ?? 0;
      index += 1;
    }
    const from = wrapped(dense, index);
    const to = wrapped(dense, index + 1);
    const share = (target - passed) / (lengths[index] || 1);
    result.push([from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share]);
  }
  return result;
}

/** How the edge of a furry shape is broken up. */
export interface Tufts {
  /** Length of a typical tuft. */
  readonly size: number;
  /** Width of a tuft along the edge. */
  readonly step?: number;
  readonly seed?: number;
  /** Where the hair falls, in tuft lengths: fur hangs rather than standing out like spines. */
  readonly fall?: Point;
  /** Scales the tufts along the edge; 0 leaves the edge smooth. */
  readonly where?: (point: Point) => number;
}

/** Steps per lock on average; a lock takes two fewer to two more, because even teeth would look like a saw. */
const FINE = 5;

/** A closed shape with a furry edge: every step of the outline grows one curved lock. */
export function tufted(outline: readonly Point[], tufts: Tufts): string {
  const { size, step = 30, seed = 1, fall = [0, 0.55], where = () => 1 } = tufts;
  const random = seeded(seed);
  const area = outline.reduce((sum, [x, y], index) => {
    const next = wrapped(outline, index + 1);
    return sum + x * next[1] - next[0] * y;
  }, 0);
  const outward = area > 0 ? 1 : -1;
  const fine = walk(outline, step / FINE);
  const parts: string[] = [];
  let last = 0;
  for (let index = 0; index < fine.length; index = last) {
    last = Math.min(index + FINE - 2 + Math.floor(random() * 5), fine.length);
    if (fine.length - last < FINE - 2) last = fine.length;
    const from = wrapped(fine, index);
    const to = wrapped(fine, last);
    const middle: Point = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    const length = size * where(middle) * (0.45 + 0.75 * random() + 0.08 * (last - index - FINE));
    if (length < 2) {
      for (let point = index + 1; point <= last; point += 1) parts.push(`L${pair(wrapped(fine, point))}`);
      continue;
    }
    const width = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const along: Point = [(to[0] - from[0]) / width, (to[1] - from[1]) / width];
    const out: Point = [along[1] * outward, -along[0] * outward];
    const lean: Point = [out[0] * 0.75 + fall[0], out[1] * 0.75 + fall[1]];
    const tip: Point = [middle[0] + lean[0] * length, middle[1] + lean[1] * length];
    const forward = lean[0] * along[0] + lean[1] * along[1] >= 0;
    const bow = (end: Point, amount: number): Point => [
      (end[0] + tip[0]) / 2 + out[0] * length * amount,
      (end[1] + tip[1]) / 2 + out[1] * length * amount,
    ];
    parts.push(`Q${pair(bow(from, forward ? 0.22 : -0.12))} ${pair(tip)}`);
    parts.push(`Q${pair(bow(to, forward ? -0.12 : 0.22))} ${pair(to)}`);
  }
  return `M${pair(wrapped(fine, 0))}${parts.join('')}Z`;
}

/** A patch of single hairs. */
export interface Hairs {
  readonly centre: Point;
  readonly radius: Point;
  readonly count: number;
  readonly length: number;
  /** The hairs point away from here, as fur grows away from the nose. */
  readonly source: Point;
  readonly width?: number;
  readonly seed?: number;
}

/** Single tapered hairs scattered over an ellipse, kept apart so that they never clump. */
export function hairs(patch: Hairs): string {
  const { centre, radius, count, length, source, width = 3, seed = 7 } = patch;
  const random = seeded(seed);
  const roots: Point[] = [];
  const apart = 0.95 * Math.sqrt((radius[0] * radius[1]) / count);
  for (let attempt = 0; attempt < count * 12 && roots.length < count; attempt += 1) {
    const turn = random() * Math.PI * 2;
    const reach = Math.sqrt(random());
    const root: Point = [
      centre[0] + Math.cos(turn) * reach * radius[0],
      centre[1] + Math.sin(turn) * reach * radius[1],
    ];
    if (roots.every(([x, y]) => Math.hypot(x - root[0], y - root[1]) > apart)) roots.push(root);
  }
  return roots
    .map((root) => {
      const angle = Math.atan2(root[1] - source[1], root[0] - source[0]) + (random() - 0.5) * 0.35;
      const reach = length * (0.7 + random() * 0.6);
      const along: Point = [Math.cos(angle) * reach, Math.sin(angle) * reach];
      const side: Point = [(-along[1] / reach) * width, (along[0] / reach) * width];
      const tip: Point = [root[0] + along[0] + side[0], root[1] + along[1] + side[1] + reach * 0.12];
      const bend = (amount: number): Point => [
        root[0] + along[0] / 2 + side[0] * amount,
        root[1] + along[1] / 2 + side[1] * amount,
      ];
      return `M${pair(root)}Q${pair(bend(-0.9))} ${pair(tip)}Q${pair(bend(0.5))} ${pair(root)}Z`;
    })
    .join('');
}
