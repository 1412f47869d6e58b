/** A position in the picture, or in the coordinates of whatever group is being drawn. */
export type Point = readonly [number, number];

/** One decimal is finer than a pixel; more digits would only make the markup longer. */
export const round = (value: number): string => String(Math.round(value * 10) / 10);

/** A position as path data. */
export const pair = ([x, y]: Point): string => `${round(x)} ${round(y)}`;

/** Reads rows of numbers, "1,2,3 4,5,6": outlines are long, and this keeps each of them on a line or two. */
export const numbers = (text: string): number[][] => text.split(' ').map((row) => row.split(',').map(Number));

/** Reads an outline, "x,y x,y". */
export const points = (text: string): Point[] => numbers(text).map(([x = 0, y = 0]): Point => [x, y]);

/** Draws the same thing in many places; every row is a position and one number more, mostly a size or an angle. */
export const many = (text: string, draw: (at: Point, extra: number, index: number) => string): string =>
  numbers(text)
    .map(([x = 0, y = 0, extra = 0], index) => draw([x, y], extra, index))
    .join('');

/** A small seeded generator (mulberry32): the pictures have to come out the same on every run. */
export function seeded(seed: number): () => number {
  let state = (seed * 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Completes a right-hand half, listed from its top middle to its bottom middle, into a closed outline. */
export function symmetric(half: readonly Point[]): Point[] {
  const inner = half.filter(([x]) => x !== 0);
  return [...half, ...inner.toReversed().map(([x, y]): Point => [-x, y])];
}

/** Which side of the face: -1 is the left of the picture. */
export type Side = -1 | 1;

/** An outline described for the right side, mirrored for the left one. */
export const onSide = (side: Side, outline: readonly Point[]): Point[] => outline.map(([x, y]): Point => [x * side, y]);

/** Moves an outline. */
export const moved = (outline: readonly Point[], dx: number, dy: number): Point[] =>
  outline.map(([x, y]): Point => [x + dx, y + dy]);

/** The two Bezier handles that let a Catmull-Rom curve pass through `from` and `to`. */
export function handles(before: Point, from: Point, to: Point, after: Point): readonly [Point, Point] {
  return [
    [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6],
    [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6],
  ];
}

/** The point at an index, counting on around a closed outline. */
export const wrapped = (outline: readonly Point[], index: number): Point =>
  outline[(index + outline.length) % outline.length] ?? [0, 0];

const clamped = (outline: readonly Point[], index: number): Point =>
  outline[Math.min(Math.max(index, 0), outline.length - 1)] ?? [0, 0];

/** A soft closed shape through all the points: nothing in a friendly face has a hard corner. */
export function smooth(outline: readonly Point[]): string {
  const parts = outline.map((from, index) => {
    const to = wrapped(outline, index + 1);
    const [a, b] = handles(wrapped(outline, index - 1), from, to, wrapped(outline, index + 2));
    return `C${pair(a)} ${pair(b)} ${pair(to)}`;
  });
  return `M${pair(wrapped(outline, 0))}${parts.join('')}Z`;
}

/** A soft open line through all the points. */
export function line(outline: readonly Point[]): string {
  const parts = outline.slice(1).map((to, index) => {
    const from = clamped(outline, index);
    const [a, b] = handles(clamped(outline, index - 1), from, to, clamped(outline, index + 2));
    return `C${pair(a)} ${pair(b)} ${pair(to)}`;
  });
  return `M${pair(clamped(outline, 0))}${parts.join('')}`;
}
