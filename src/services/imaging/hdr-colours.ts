import { apply, invert, type Matrix, type Vector } from './matrices.ts';

/*
 * Colours of photos with a high dynamic range (ITU-T H.273: PQ and HLG), as browsers show them on ordinary screens.
 */

export const PQ = 16;
export const HLG = 18;

/** White of ordinary photos, and the usual peak, in cd/m² (ITU-R BT.2408). */
const WHITE = 203;
const PEAK = 1000 / WHITE;

/*
 * The reference white tone mapping of SMPTE ST 2094-50: colours up to white get half their light, brighter ones follow
 * a Bézier curve to the peak. The curve has these points.
 */
const HALF = 0.5;
const BEND = { x: 0.35 + 0.65 / HALF, y: 0.35 * HALF + 0.65 };

function toneMapped(light: number): number {
  if (light <= 1) return light * HALF;
  if (light >= PEAK) return 1;
  const a = 1 - 2 * BEND.x + PEAK;
  const b = 2 * BEND.x - 2;
  const t = (Math.sqrt(b * b - 4 * a * (1 - light)) - b) / (2 * a);
  return (1 - t) ** 2 * HALF + 2 * t * (1 - t) * BEND.y + t * t;
}

/** ITU-R BT.2100, table 4. */
function pqLight(code: number): number {
  const power = code ** (32 / 2523);
  const ratio = Math.max(power - 107 / 128, 0) / (2413 / 128 - (2392 / 128) * power);
  return (10_000 / WHITE) * ratio ** (8192 / 1305);
}

/** ITU-R BT.2100, table 5: light of the scene. */
function hlgLight(code: number): number {
  return code <= 0.5 ? (code * code) / 3 : (Math.exp((code - 0.55991073) / 0.17883277) + 0.28466892) / 12;
}

const SYSTEM_GAMMA = 1.2;
const TINY = 1e-9;

function linear(code: Vector, transfer: number, luminance: Vector): Vector {
  const [r, g, b] = code;
  if (transfer === PQ) return [pqLight(r), pqLight(g), pqLight(b)];
  const scene = [hlgLight(r), hlgLight(g), hlgLight(b)] as const;
  const whole = scene[0] * luminance[0] + scene[1] * luminance[1] + scene[2] * luminance[2];
  return scaled(scene, PEAK * Math.max(whole, TINY) ** (SYSTEM_GAMMA - 1));
}

/** The curve of grey pixels (ICC.1:2022, section 10.6). */
export function hdrCurveTag(transfer: number): Buffer {
  const light = (code: number) => toneMapped(linear([code, code, code], transfer, [0, 1, 0])[1]);
  const entries = Array.from({ length: CURVE_ENTRIES }, (_, index) =>
    Math.round(MAX * light(index / (CURVE_ENTRIES - 1))),
  );
  const head = Buffer.from('curv\0\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt32BE(CURVE_ENTRIES, 8);
  return Buffer.concat([head, bytesOf(entries)]);
}

function bytesOf(numbers: readonly number[]): Buffer {
  return Buffer.from(Uint16Array.from(numbers).buffer).swap16();
}

function scaled([x, y, z]: Vector, factor: number): Vector {
  return [x * factor, y * factor, z * factor];
}

const NODES = 33;
const CURVE_ENTRIES = 4096;
const MAX = 0xffff;

/** In a profile, 0x8000 is 1.0. */
const ONE = 0x8000;

/**
 * The tag A2B0 (ICC.1:2022, section 10.10), which maps RGB to XYZ. The nodes hold cube roots, which differ as evenly as
 * the colours, and the curves after them the cubes.
 *
 * @param bt2020 the matrix of the primaries in which browsers map tones
 */
export function hdrTag(transfer: number, matrix: Matrix, bt2020: Matrix): Buffer {
  const head = Buffer.alloc(52);
  head.write('mft2', 'latin1');
  head.set([3, 3, NODES], 8);
  for (const at of [12, 28, 44]) head.writeInt32BE(0x10000, at);
  head.writeUInt16BE(2, 48);
  head.writeUInt16BE(CURVE_ENTRIES, 50);
  const toBt2020 = invert(bt2020);
  const numbers: number[] = [0, MAX, 0, MAX, 0, MAX];
  const node = (index: number) => index / (NODES - 1);
  for (let r = 0; r < NODES; r++)
    for (let g = 0; g < NODES; g++)
      for (let b = 0; b < NODES; b++) {
        const xyz = apply(matrix, linear([node(r), node(g), node(b)], transfer, matrix[1]));
        const light = Math.max(...apply(toBt2020, xyz), TINY);
        for (const value of scaled(xyz, toneMapped(light) / light))
          numbers.push(Math.round(MAX * Math.cbrt(Math.min(Math.max(value, 0), 1))));
      }
  const curve = Array.from({ length: CURVE_ENTRIES }, (_, index) =>
    Math.round(ONE * (index / (CURVE_ENTRIES - 1)) ** 3),
  );
  return Buffer.concat([head, bytesOf([...numbers, ...curve, ...curve, ...curve])]);
}
