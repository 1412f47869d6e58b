import { darker, lighter } from './colour.ts';
import { type Point, type Side } from './geometry.ts';
import { fill, form, oval, placed, soft, stroke, type Sheet } from './sheet.ts';

export interface EyeLook {
  readonly iris: string;
  readonly rim: string;
  readonly radius: Point;
  /** Degrees by which the outer corner is raised. */
  readonly slant?: number;
  /** Pupil size as parts of the radius: round for dogs and lions, a tall oval for cats. */
  readonly pupil: Point;
  /** Thickness of the dark rim. */
  readonly line?: number;
  /** How much of the eye the upper lid covers; a little makes it calm, more makes it sleepy. */
  readonly lid?: number;
  readonly lidColour?: string;
}

/** An eye. The catchlights sit on the same side in both eyes, because there is only one sun. */
export function eye(sheet: Sheet, side: Side, at: Point, look: EyeLook): string {
  const [rx, ry] = look.radius;
  const { slant = 0, line = 7, lid = 0, lidColour = look.rim } = look;
  const almond =
    `M${-1.12 * rx} ${0.25 * ry}C${-0.75 * rx} ${-0.65 * ry} ${-0.35 * rx} ${-ry} ${0.08 * rx} ${-ry}` +
    `C${0.62 * rx} ${-ry} ${0.98 * rx} ${-0.55 * ry} ${1.12 * rx} ${-0.1 * ry}` +
    `C${0.9 * rx} ${0.65 * ry} ${0.4 * rx} ${ry} ${-0.05 * rx} ${ry}` +
    `C${-0.55 * rx} ${ry} ${-0.92 * rx} ${0.7 * ry} ${-1.12 * rx} ${0.25 * ry}Z`;
  const upper =
    `M${-1.12 * rx} ${0.25 * ry}C${-0.75 * rx} ${-0.65 * ry} ${-0.35 * rx} ${-ry} ${0.08 * rx} ${-ry}` +
    `C${0.62 * rx} ${-ry} ${0.98 * rx} ${-0.55 * ry} ${1.18 * rx} ${-0.16 * ry}`;
  const iris = sheet.radial(
    [
      [0, lighter(look.iris, 0.45)],
      [0.55, look.iris],
      [1, darker(look.iris, 0.5)],
    ],
    [0.5, 0.72, 0.62],
  );
  const ball =
    fill(almond, iris) +
    oval([0, 0.02 * ry], look.pupil[0] * rx, look.pupil[1] * ry, '#140d14') +
    soft(sheet, 4, oval([0, -1.15 * ry], 1.4 * rx, 0.72 * ry, '#140d14', 0.55)) +
    (lid > 0 ? oval([0, -1.95 * ry + lid * ry], 1.7 * rx, ry * 1.05, lidColour) : '');
  const shape =
    `<path d="${almond}" fill="${look.rim}" stroke="${look.rim}" stroke-width="${line * 1.5}" stroke-linejoin="round"/>` +
    sheet.inside(almond, ball) +
    stroke(upper, look.rim, line);
  const lights =
    oval([-0.3 * rx, (-0.36 + lid * 0.45) * ry], 0.25 * Math.min(rx, ry), 0.27 * Math.min(rx, ry), '#fff') +
    oval([0.34 * rx, 0.42 * ry], 0.11 * Math.min(rx, ry), 0.11 * Math.min(rx, ry), '#fff', 0.75);
  return placed(placed(placed(shape, [0, 0], -slant), [0, 0], 0, [side, 1]) + lights, at);
}

/** Both eyes; the face may be turned a little, which moves the pair and narrows the farther one. */
export function eyes(sheet: Sheet, apart: number, y: number, look: EyeLook, turn = 0): string {
  const far = (side: Side): EyeLook => ({
    ...look,
    radius: [look.radius[0] * (1 - Math.max(0, side * turn) / 260), look.radius[1]],
  });
  return eye(sheet, -1, [-apart + turn * 0.55, y], far(-1)) + eye(sheet, 1, [apart + turn * 0.55, y], far(1));
}

/** A dog's nose, `size` times 46 pixels to each side. */
export function dogNose(sheet: Sheet, at: Point, colour: string, size = 1): string {
  const outline = 'M-46-14C-44-37-22-40 0-40C22-40 44-37 46-14C48 8 22 26 9 34C4 37-4 37-9 34C-22 26-48 8-46-14Z';
  const dark = darker(colour, 0.65);
  const nostrils =
    fill('M-37-2C-34-14-18-13-15-4C-13 4-18 10-22 8C-26 4-33 6-37-2Z', dark) +
    fill('M37-2C34-14 18-13 15-4C13 4 18 10 22 8C26 4 33 6 37-2Z', dark) +
    stroke('M0 10L0 34', dark, 4, 0.8);
  const shine = soft(sheet, 3, oval([-10, -27], 22, 6.5, '#fff', 0.6));
  return placed(form(sheet, outline, colour, { depth: 14, inside: nostrils, lightOpacity: 0.25 }) + shine, at, 0, size);
}

/** A cat's nose: a small rounded triangle. Lions have a bigger one. */
export function catNose(sheet: Sheet, at: Point, colour: string, size: number | Point = 1): string {
  const outline = 'M-24-10C-22-17-8-15 0-15C8-15 22-17 24-10C25-3 9 9 4 13C2 15-2 15-4 13C-9 9-25-3-24-10Z';
  const nostrils =
    stroke('M-15-2Q-11-6-7 0', darker(colour, 0.5), 3, 0.7) + stroke('M15-2Q11-6 7 0', darker(colour, 0.5), 3, 0.7);
  const shine = oval([-7, -10], 7, 2.2, '#fff', 0.45);
  return placed(form(sheet, outline, colour, { depth: 9, inside: nostrils }) + shine, at, 0, size);
}

/** Whiskers: long, light, slightly hanging; drawn in pairs that are never quite alike. */
export function whiskers(apart: number, y: number, reach: number, colour: string, opacity = 0.8): string {
  const one = (side: Side, lift: number, length: number, sag: number): string =>
    fill(
      `M${side * apart} ${y + lift * 0.35}Q${side * (apart + length * 0.55)} ${y + lift - sag} ` +
        `${side * (apart + length)} ${y + lift * 1.5 + sag}Q${side * (apart + length * 0.5)} ${y + lift - sag + 5} ` +
        `${side * apart} ${y + lift * 0.35 + 4}Z`,
      colour,
      opacity,
    );
  return (
    one(-1, -26, reach * 0.95, 8) +
    one(-1, 2, reach, 10) +
    one(-1, 30, reach * 0.88, 6) +
    one(1, -30, reach, 6) +
    one(1, 0, reach * 1.04, 12) +
    one(1, 28, reach * 0.9, 8)
  );
}
