import { darker, lighter } from './colour.ts';
import { line, seeded, type Point } from './geometry.ts';
import { fill, HEIGHT, oval, placed, rect, soft, stroke, WIDTH, type Sheet } from './sheet.ts';

/** The whole field, from its colour at the top to its colour at the bottom. */
export const field = (sheet: Sheet, top: string, bottom: string): string =>
  rect(0, 0, WIDTH, HEIGHT, sheet.fade(top, bottom));

/** A patch of light. */
export const glow = (sheet: Sheet, [x, y]: Point, radius: number, colour: string, opacity = 0.7): string =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${sheet.radial([
    [0, colour, opacity],
    [0.55, colour, opacity * 0.45],
    [1, colour, 0],
  ])}"/>`;

/** A sun or a moon with two faint rings of light. */
export const sun = (sheet: Sheet, at: Point, radius: number, colour: string): string =>
  glow(sheet, at, radius * 2.6, lighter(colour, 0.4), 0.55) +
  oval(at, radius * 1.32, radius * 1.32, lighter(colour, 0.3), 0.28) +
  oval(at, radius * 1.14, radius * 1.14, lighter(colour, 0.3), 0.35) +
  oval(at, radius, radius, sheet.fade(lighter(colour, 0.35), colour));

/** A rolling horizon; every `heights` entry is the height at an equal step from left to right. */
export function hills(sheet: Sheet, heights: readonly number[], colour: string): string {
  const step = (WIDTH + 120) / (heights.length - 1);
  const top = line(heights.map((y, index): Point => [-60 + index * step, y]));
  const outline = `${top}L1260 960L-60 960Z`;
  return (
    fill(
      outline,
      sheet.linear([
        [0, lighter(colour, 0.16)],
        [0.5, colour],
        [1, darker(colour, 0.12)],
      ]),
    ) + sheet.inside(outline, soft(sheet, 8, stroke(top, lighter(colour, 0.5), 12, 0.45)))
  );
}

/** A flat-bottomed heap of cloud. */
export const cloud = (at: Point, size: number, colour: string, opacity = 0.9): string =>
  placed(
    fill(
      'M-120 30C-150 30-158-8-126-16C-128-52-84-66-62-44C-48-88 18-92 32-50C58-70 98-50 94-18C132-16 136 30 104 30Z',
      colour,
      opacity,
    ),
    at,
    0,
    size,
  );

/** Small four-pointed stars, kept away from the middle where the animal sits. */
export function stars(seed: number, count: number, colour: string, below = 520): string {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, index): string => {
    const side = index % 2 === 0 ? 0 : 1;
    const at: Point = [random() * 390 + side * 810, random() * below + 20];
    const size = 0.35 + random() * 0.85;
    return index % 3 === 0
      ? placed(fill('M0-20Q3-3 20 0Q3 3 0 20Q-3 3-20 0Q-3-3 0-20Z', colour, 0.95), at, 0, size)
      : oval(at, 3.4 * size + 1, 3.4 * size + 1, colour, 0.8);
  }).join('');
}

/** Rays fanning out behind the animal. */
export const rays = ([x, y]: Point, count: number, colour: string, opacity: number): string =>
  fill(
    Array.from({ length: count }, (_, index): string => {
      const end = (turn: number): string =>
        `${Math.round(x + Math.cos(turn) * 1400)} ${Math.round(y + Math.sin(turn) * 1400)}`;
      const from = ((index * 2) / (count * 2)) * Math.PI * 2;
      return `M${x} ${y}L${end(from)}L${end(from + Math.PI / count)}Z`;
    }).join(''),
    colour,
    opacity,
  );

/** A butterfly, for company. */
export const butterfly = (at: Point, turn: number, size: number, colour: string): string => {
  const wing =
    fill('M0-4C20-44 66-48 62-14C60 6 30 6 4 4Z', colour) +
    fill('M2 4C30 4 50 18 40 36C30 50 8 34 0 8Z', darker(colour, 0.15)) +
    oval([42, -20], 9, 8, lighter(colour, 0.6), 0.8);
  return placed(
    wing + placed(wing, [0, 0], 0, [-1, 1]) + stroke('M0-14L0 20M0-14Q-6-30-14-34M0-14Q6-30 14-34', '#4a2c33', 5),
    at,
    turn,
    size,
  );
};

/** Birds far away. */
export const birds = (at: Point, size: number, colour: string): string =>
  placed(
    stroke('M-40 0Q-24-18-10 0Q4-18 20 0M34-34Q46-48 56-34Q66-48 78-34M50 22Q60 10 68 22Q76 10 86 22', colour, 6),
    at,
    0,
    size,
  );

/** A warm light behind the head, which lifts the animal off its background. */
export const halo = (sheet: Sheet, colour = '#fff4d6', opacity = 0.55): string =>
  glow(sheet, [600, 400], 520, colour, opacity);
