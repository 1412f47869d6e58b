import { leaf } from './accessories.ts';
import { darker, lighter } from './colour.ts';
import { points, seeded, smooth, type Point } from './geometry.ts';
import { fill, form, oval, placed, stroke, WIDTH, type Sheet } from './sheet.ts';

/** A twig with leaves on both sides, growing upwards from `at`. */
export function sprig(colour: string, at: Point, turn: number, size: number, pairs = 4): string {
  const leaves = Array.from({ length: pairs }, (_, index) => {
    const y = -50 - index * 62;
    const scale = 0.95 - index * 0.12;
    return leaf(colour, [0, y], -28, scale) + leaf(darker(colour, 0.1), [0, y + 12], -152, scale);
  }).join('');
  const height = -50 - (pairs - 1) * 62 - 40;
  return placed(
    stroke(`M0 0Q6 ${height / 2} 0 ${height}`, darker(colour, 0.25), 8) +
      leaves +
      leaf(colour, [0, height + 12], -90, 0.62),
    at,
    turn,
    size,
  );
}

/** A big cut leaf, as on a house plant. */
export function palm(colour: string, at: Point, turn: number, size: number): string {
  const blades = [-104, 104, -76, 76, -50, 50, -25, 25, 0].map((angle, index) => {
    const length = 1.85 - Math.abs(angle) / 120;
    return placed(
      leaf(index % 2 === 0 ? colour : lighter(colour, 0.1), [0, 0], -90, [length, length * 0.62]),
      [0, -30],
      angle,
    );
  });
  return placed(stroke('M0 120Q8 40 0-40', darker(colour, 0.25), 9) + blades.join(''), at, turn, size);
}

/** A strip of grass along a horizon. */
export function grass(seed: number, y: number, colour: string, height = 70, count = 70): string {
  const random = seeded(seed);
  return fill(
    Array.from({ length: count }, (_, index): string => {
      const x = (index + random()) * (WIDTH / count);
      const reach = height * (0.5 + random() * 0.8);
      const lean = (random() - 0.5) * height * 0.7;
      const foot = y + random() * 26;
      return `M${Math.round(x - 7)} ${Math.round(foot + 30)}Q${Math.round(x)} ${Math.round(foot - reach * 0.5)} ${Math.round(x + lean)} ${Math.round(foot - reach)}Q${Math.round(x + 10)} ${Math.round(foot - reach * 0.4)} ${Math.round(x + 8)} ${Math.round(foot + 30)}Z`;
    }).join(''),
    colour,
  );
}

/** The flat-topped tree of the savanna. */
export const acacia = (at: Point, size: number, trunk: string, crown: string): string =>
  placed(
    stroke('M0 0C-6-70 10-110-6-150M-2-90C30-130 66-150 92-172M-2-110C-30-140-56-160-84-176', trunk, 14) +
      fill(
        smooth(points('-190,-176 -150,-214 -60,-226 20,-250 110,-228 180,-206 206,-176 120,-164 0,-172 -110,-162')),
        crown,
      ) +
      fill(smooth(points('-120,-226 -60,-256 10,-262 70,-246 60,-226 -40,-216')), lighter(crown, 0.14)),
    at,
    0,
    size,
  );

/** A round tree on a stem. */
export const tree = (sheet: Sheet, at: Point, size: number, crown: string, trunk = '#7d5237'): string =>
  placed(
    stroke('M0 0L0-110M0-60L34-96', trunk, 16) +
      form(sheet, smooth(points('-92,-158 -80,-214 -30,-258 28,-262 80,-222 94,-160 66,-108 8,-92 -60,-104')), crown, {
        depth: 44,
        inside: oval([-26, -200], 52, 44, lighter(crown, 0.3), 0.4),
      }),
    at,
    0,
    size,
  );

/** A tulip on its stem. */
export const tulip = (sheet: Sheet, at: Point, size: number, colour: string, turn = 0): string =>
  placed(
    stroke('M0 0Q6-80 0-150', '#5f9150', 9) +
      fill('M0-10C-30-40-56-70-60-124C-30-100-6-60 0-10Z', '#6fa35b') +
      fill('M0-14C26-36 46-60 52-100C26-86 6-50 0-14Z', '#5f9150') +
      form(
        sheet,
        'M-40-196C-30-190-24-196-20-206C-14-220-6-224 0-228C6-224 14-220 20-206C24-196 30-190 40-196C48-160 34-138 0-136C-34-138-48-160-40-196Z',
        colour,
        { depth: 20 },
      ),
    at,
    turn,
    size,
  );
