import { darker, lighter, mix } from './colour.ts';
import { tufted } from './fur.ts';
import { points, seeded, symmetric, type Point } from './geometry.ts';
import { fill, placed, soft, type Sheet } from './sheet.ts';

/** A mane: layers of locks around the face, from the outermost and darkest inwards. */
export interface Mane {
  readonly tones: readonly [string, string, string];
  /** How far from the middle of the face the outermost locks grow. */
  readonly reach: number;
  readonly length: number;
  readonly layers: number;
  readonly seed: number;
}

const between = (from: number, to: number, share: number): number => from + (to - from) * share;

/** One lock, lying along the x axis and bending down at its tip. */
function lock(sheet: Sheet, tone: string, length: number): string {
  const width = 0.2 * length;
  const shape = `M0 ${-width}C${0.4 * length} ${-width * 1.5} ${0.86 * length} ${-width * 0.9} ${length} ${width * 1.25}C${0.78 * length} ${width * 0.5} ${0.42 * length} ${width * 1.5} 0 ${width}Z`;
  const paint = sheet.linear(
    [
      [0, darker(tone, 0.42)],
      [0.5, tone],
      [0.85, lighter(tone, 0.14)],
      [1, tone],
    ],
    [0, 0, 1, 0.25],
  );
  return fill(shape, paint);
}

/** All the locks. Inner layers lie on outer ones and, within a layer, upper locks lie on lower ones, as hair does. */
export function combed(sheet: Sheet, { tones, reach, length, layers, seed }: Mane): string {
  const random = seeded(seed);
  const ground = points('0,-110 90,-66 112,20 80,110 0,150').map(([x, y]): Point => [
    (x * reach) / 100,
    (y * reach) / 100,
  ]);
  const under = tufted(symmetric(ground), { size: length * 0.3, step: 40, seed });
  const parts = [
    soft(sheet, 16, placed(fill(under, '#2a1626', 0.4), [4, 12], 0, 1.16)),
    fill(under, darker(tones[0], 0.3)),
  ];
  for (let layer = 0; layer < layers; layer += 1) {
    const share = layers === 1 ? 1 : layer / (layers - 1);
    const tone = share < 0.5 ? mix(tones[0], tones[1], share * 2) : mix(tones[1], tones[2], share * 2 - 1);
    const [rx, ry] = [between(reach, 118, share), between(reach * 1.2, 142, share)];
    const count = Math.round((2 * Math.PI * rx) / (length * 0.255));
    const locks = Array.from({ length: count }, (_, index) => {
      const angle = ((index + 0.5 * (layer % 2) + (random() - 0.5) * 0.36) / count) * 2 * Math.PI;
      const shade = [darker(tone, 0.1), tone, lighter(tone, 0.08)][Math.floor(random() * 3)] ?? tone;
      return { angle, shade, size: between(1, 0.82, share) * (0.85 + random() * 0.35) };
    }).toSorted((a, b) => Math.sin(b.angle) - Math.sin(a.angle));
    for (const { angle, shade, size } of locks) {
      const at: Point = [Math.cos(angle) * rx, Math.sin(angle) * ry + between(46, 14, share)];
      const bend = Math.cos(angle) >= 0 ? 1 : -1;
      const droop = Math.cos(angle) * 20;
      parts.push(
        placed(lock(sheet, shade, length), at, Math.round((angle * 180) / Math.PI + droop), [
          Math.round(size * 100) / 100,
          Math.round(size * bend * 100) / 100,
        ]),
      );
    }
  }
  return parts.join('');
}

/** The crown: locks rising between the ears, and shorter ones falling over the forehead that hide their roots. */
export function crest(sheet: Sheet, { tones, length, seed }: Mane): string {
  const random = seeded(seed + 50);
  const grown = (count: number, y: number, spread: number, turn: number, fan: number, size: number): string =>
    Array.from({ length: count }, (_, index) => {
      const across = (index / (count - 1)) * 2 - 1;
      const tone = [darker(tones[2], 0.12), tones[2], lighter(tones[2], 0.08)][Math.floor(random() * 3)] ?? tones[2];
      const bend = across * turn >= 0 ? -1 : 1;
      const scale = Math.round(size * (0.85 + random() * 0.3) * 100) / 100;
      const at: Point = [across * spread, y + across * across * 22];
      return {
        across,
        markup: placed(lock(sheet, tone, length), at, Math.round(turn - across * fan * Math.sign(turn)), [
          scale,
          scale * bend,
        ]),
      };
    })
      .toSorted((a, b) => Math.abs(b.across) - Math.abs(a.across))
      .map(({ markup }) => markup)
      .join('');
  const size = 92 / length;
  return grown(7, -160, 78, -90, 52, size) + grown(8, -176, 74, 90, 50, size * 0.72);
}
