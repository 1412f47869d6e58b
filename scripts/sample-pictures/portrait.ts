import { tufted } from './fur.ts';
import { numbers, symmetric, type Point } from './geometry.ts';
import { oval, placed, soft, stroke, type Sheet } from './sheet.ts';

/** How an animal holds its head. An animal is drawn around the vertical axis x = 0. */
export interface Pose {
  readonly at: Point;
  /** Degrees to the side. */
  readonly tilt: number;
  /** Pixels by which the middle of the face points to the side. */
  readonly turn: number;
  readonly scale?: number;
}

export const posed = (content: string, { at, tilt, scale = 1.12 }: Pose): string => placed(content, at, tilt, scale);

/** The soft hollows in which the eyes lie. */
export const sockets = (sheet: Sheet, apart: number, y: number, colour: string, turn = 0, opacity = 0.5): string =>
  soft(
    sheet,
    13,
    oval([-apart + turn * 0.55, y], 50, 44, colour, opacity) + oval([apart + turn * 0.55, y], 50, 44, colour, opacity),
  );

/** The lips: a short line under the nose that parts to both sides. */
export const lips = (y: number, drop: number, reach: number, colour: string, width = 6): string =>
  stroke(`M0 ${y}L0 ${y + drop}`, colour, width) +
  stroke(
    `M${-reach} ${y + drop - 10}Q${-reach * 0.8} ${y + drop + 22} ${-reach * 0.42} ${y + drop + 22}` +
      `Q${-reach * 0.1} ${y + drop + 18} 0 ${y + drop}Q${reach * 0.1} ${y + drop + 18} ${reach * 0.42} ${y + drop + 22}` +
      `Q${reach * 0.8} ${y + drop + 22} ${reach} ${y + drop - 10}`,
    colour,
    width,
  );

/** The small dots from which the whiskers grow. */
export const dots = (apart: number, y: number, colour: string, opacity = 0.5): string =>
  [-1, 1]
    .flatMap((side) =>
      [
        [0, 0],
        [17, -9],
        [18, 10],
        [35, -1],
      ].map(([x = 0, dy = 0]): Point => [side * (apart + x), y + dy]),
    )
    .map((point) => oval(point, 3, 3, colour, opacity))
    .join('');

/** A marking with a thick root and a fine tip, as the stripes of a tabby have. */
export function stripe(from: Point, bend: Point, to: Point, width: number): string {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const side: Point = [(-(to[1] - from[1]) / length) * width * 0.5, ((to[0] - from[0]) / length) * width * 0.5];
  return (
    `M${from[0] - side[0]} ${from[1] - side[1]}Q${bend[0] - side[0]} ${bend[1] - side[1]} ${to[0]} ${to[1]}` +
    `Q${bend[0] + side[0]} ${bend[1] + side[1]} ${from[0] + side[0]} ${from[1] + side[1]}Z`
  );
}

/** Stripes on both sides alike, each given for the right side as seven numbers: root, bend, tip and width. */
export const stripes = (text: string): string =>
  numbers(text)
    .flatMap(([x = 0, y = 0, bendX = 0, bendY = 0, tipX = 0, tipY = 0, width = 0]) => [
      stripe([x, y], [bendX, bendY], [tipX, tipY], width),
      stripe([-x, y], [-bendX, bendY], [-tipX, tipY], width),
    ])
    .join('');

/** The soft parting between two legs, widest at the bottom of the picture. */
export const parting = (sheet: Sheet, foot: number, top: Point, colour: string, opacity = 0.4): string =>
  soft(
    sheet,
    5,
    `<path d="${stripe([foot, 930], [foot * 0.98, 870], top, 34)}" fill="${colour}" opacity="${opacity}"/>`,
  );

/** A furry bib on the chest. */
export const bib = (top: number, width: number, bottom: number, size = 34, seed = 9): string =>
  tufted(
    symmetric([
      [0, top],
      [width * 0.72, top + 12],
      [width, top + (bottom - top) * 0.36],
      [width * 0.74, top + (bottom - top) * 0.74],
      [width * 0.3, bottom - 8],
      [0, bottom],
    ]),
    { size, step: 34, seed, fall: [0, 0.9] },
  );

/** The shadow the head throws on the chest; without it the head would float. */
export const underHead = (sheet: Sheet, body: string, at: Point, rx: number, ry: number, opacity = 0.42): string =>
  sheet.inside(body, soft(sheet, 22, oval(at, rx * 0.9, ry, '#48182a', opacity)));
