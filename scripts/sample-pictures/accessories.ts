import { darker, lighter, mix } from './colour.ts';
import { moved, points, smooth, symmetric, type Point } from './geometry.ts';
import { fill, form, oval, placed, soft, stroke, type Sheet } from './sheet.ts';

/** A band around the neck, clipped to the body so that its ends disappear behind it. */
export function collar(
  sheet: Sheet,
  body: string,
  y: number,
  colour: string,
  at: { dip?: number; width?: number } = {},
): string {
  const { dip = 62, width = 34 } = at;
  const path = `M-270 ${y - dip}Q0 ${y + dip} 270 ${y - dip}`;
  return sheet.inside(
    body,
    soft(sheet, 7, stroke(`M-270 ${y - dip + 16}Q0 ${y + dip + 16} 270 ${y - dip + 16}`, '#2a1626', width, 0.35)) +
      stroke(path, colour, width) +
      stroke(`M-270 ${y - dip + 9}Q0 ${y + dip + 9} 270 ${y - dip + 9}`, darker(colour, 0.35), width * 0.32, 0.5) +
      stroke(`M-270 ${y - dip - 9}Q0 ${y + dip - 9} 270 ${y - dip - 9}`, lighter(colour, 0.5), 3, 0.6),
  );
}

/** A round tag under the collar's ring; `mark` is a small emblem around the origin. */
export function tag(sheet: Sheet, at: Point, colour: string, mark: string): string {
  const disc = 'M-30 0A30 30 0 1 1 30 0A30 30 0 1 1-30 0Z';
  const shadow = soft(sheet, 6, oval([5, 42], 30, 29, '#2a1626', 0.4));
  const ring = `<circle cy="2" r="10" fill="none" stroke="${darker(colour, 0.25)}" stroke-width="5"/>`;
  return placed(shadow + ring + placed(form(sheet, disc, colour, { depth: 16 }) + mark, [0, 36]), at);
}

/** A heart to engrave on a tag. */
export const heart = (paint: string): string => fill('M0 15C-26-3-15-19 0-8C15-19 26-3 0 15Z', paint);
/** A bone, likewise. */
export const bone = (paint: string): string =>
  placed(
    `<rect x="-12" y="-4" width="24" height="8" fill="${paint}"/>` +
      oval([-12, -5], 6, 6, paint) +
      oval([-12, 5], 6, 6, paint) +
      oval([12, -5], 6, 6, paint) +
      oval([12, 5], 6, 6, paint),
    [0, 0],
    -18,
  );
/** A paw print. */
export const paw = (paint: string): string =>
  fill('M0-2C9-2 15 7 12 12C8 17 4 13 0 13C-4 13-8 17-12 12C-15 7-9-2 0-2Z', paint) +
  oval([-13, -3], 4, 5.5, paint) +
  oval([-5, -11], 4.2, 6, paint) +
  oval([5, -11], 4.2, 6, paint) +
  oval([13, -3], 4, 5.5, paint);
/** A star. */
export const star = (paint: string): string => fill('M0-18L5-6L18-5L8 4L11 17L0 10L-11 17L-8 4L-18-5L-5-6Z', paint);

/** A cat's bell. */
export function bell(sheet: Sheet, at: Point, colour: string): string {
  const disc = 'M-27 0A27 27 0 1 1 27 0A27 27 0 1 1-27 0Z';
  const dark = darker(colour, 0.6);
  const slit = stroke('M-26-3Q0 5 26-3', dark, 4, 0.6) + oval([0, 11], 5, 5, dark) + stroke('M0 12L0 26', dark, 4);
  return placed(
    soft(sheet, 6, oval([5, 30], 26, 24, '#2a1626', 0.4)) +
      placed(form(sheet, disc, colour, { depth: 16, inside: slit }), [0, 24]),
    at,
  );
}

/** A flower with round petals, to be worn behind an ear or grown in a meadow. */
export function flower(
  sheet: Sheet,
  at: Point,
  size: number,
  petal: string,
  heartColour: string,
  petals = 5,
  turn = 0,
): string {
  const outline = 'M0 4C-22-12-24-44 0-50C24-44 22-12 0 4Z';
  const blades = Array.from({ length: petals }, (_, index) =>
    placed(
      fill(outline, sheet.fade(lighter(petal, 0.25), darker(petal, 0.22))) +
        stroke('M0-12L0-34', darker(petal, 0.25), 2.5, 0.5),
      [0, 0],
      turn + (360 / petals) * index,
    ),
  ).join('');
  return placed(
    blades + oval([0, 0], 15, 15, heartColour) + oval([-3, -4], 7, 6, lighter(heartColour, 0.5), 0.7),
    at,
    0,
    size,
  );
}

/** A leaf from its stalk at the origin to its tip, 100 pixels to the right before scaling. */
export function leaf(colour: string, at: Point, turn: number, size: number | Point = 1): string {
  const vein = darker(colour, 0.3);
  return placed(
    fill('M0 0C18-34 66-38 100 0C66 38 18 34 0 0Z', colour) +
      fill('M0 0C30 2 70 2 100 0C66 38 18 34 0 0Z', darker(colour, 0.3), 0.35) +
      stroke('M0 0L88 0M28 0L42-14M28 0L42 14M52 0L66-12M52 0L66 12', vein, 2.5, 0.45),
    at,
    turn,
    size,
  );
}

/** A folded neckerchief with dots, knotted behind the neck. */
export function bandana(sheet: Sheet, body: string, y: number, colour: string, dots: string): string {
  const cloth = smooth(moved(symmetric(points('0,-10 110,-34 235,-92 262,-64 180,52 80,140 12,192 0,196')), 0, y));
  const spots = [-150, -75, 0, 75, 150]
    .flatMap((x, column) =>
      [0, 1, 2].map((row): Point => [x, y + 18 + row * 58 + (column % 2) * 29 - Math.abs(x) * 0.32]),
    )
    .map((point) => oval(point, 9, 9, dots))
    .join('');
  const folds =
    stroke(`M-205 ${y - 50}Q-110 ${y + 20}-60 ${y + 130}`, darker(colour, 0.4), 5, 0.35) +
    stroke(`M185 ${y - 55}Q120 ${y} 95 ${y + 80}`, darker(colour, 0.4), 5, 0.35);
  const roll = stroke(`M-262 ${y - 88}Q0 ${y + 66} 262 ${y - 88}`, mix(colour, darker(colour, 0.3), 0.35), 36);
  const light = stroke(`M-250 ${y - 90}Q0 ${y + 50} 250 ${y - 90}`, lighter(colour, 0.4), 6, 0.45);
  return sheet.inside(
    body,
    soft(sheet, 12, placed(fill(cloth, '#2a1626', 0.4), [10, 20])) +
      form(sheet, cloth, colour, { inside: spots + folds }) +
      roll +
      light,
  );
}
