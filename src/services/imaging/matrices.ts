/* Colour spaces as matrices. */

export type Vector = readonly [number, number, number];
/** Three rows. */
export type Matrix = readonly [Vector, Vector, Vector];

/** The chromaticities x and y of red, green, blue and white. */
export type Primaries = readonly [
  ...[rx: number, ry: number],
  ...[gx: number, gy: number],
  ...[bx: number, by: number],
  ...[wx: number, wy: number],
];

/** The responses of the cones, in which the Bradford method adapts colours to another white. */
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/** The white of ICC profiles, in XYZ. */
export const D50: Vector = [0.9642, 1, 0.8249];

export function apply([a, b, c]: Matrix, vector: Vector): Vector {
  return [dot(a, vector), dot(b, vector), dot(c, vector)];
}

function dot([a, b, c]: Vector, [x, y, z]: Vector): number {
  return a * x + b * y + c * z;
}

function multiply(first: Matrix, second: Matrix): Matrix {
  const [a, b, c] = transpose(second);
  return transpose([apply(first, a), apply(first, b), apply(first, c)]);
}

function transpose([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  return [
    [a, d, g],
    [b, e, h],
    [c, f, i],
  ];
}

/** Contains infinite numbers if the matrix has no inverse. */
function invert([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  const det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  return [
    [(e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det],
    [(f * g - d * i) / det, (a * i - c * g) / det, (c * d - a * f) / det],
    [(d * h - e * g) / det, (b * g - a * h) / det, (a * e - b * d) / det],
  ];
}

function scale([x, y, z]: Vector): Matrix {
  return [
    [x, 0, 0],
    [0, y, 0],
    [0, 0, z],
  ];
}

/** From linear RGB with these primaries to XYZ, adapted to D50. */
export function toXyz([rx, ry, gx, gy, bx, by, wx, wy]: Primaries): Matrix {
  const columns = transpose([
    [rx, ry, 1 - rx - ry],
    [gx, gy, 1 - gx - gy],
    [bx, by, 1 - bx - by],
  ]);
  const white: Vector = [wx / wy, 1, (1 - wx - wy) / wy];
  const adaptation = multiply(
    multiply(invert(BRADFORD), scale(ratios(apply(BRADFORD, D50), apply(BRADFORD, white)))),
    BRADFORD,
  );
  return multiply(adaptation, multiply(columns, scale(apply(invert(columns), white))));
}

function ratios([a, b, c]: Vector, [x, y, z]: Vector): Vector {
  return [a / x, b / y, c / z];
}
