import { darker, lighter } from './colour.ts';
import { points, smooth, type Point } from './geometry.ts';
import { fill, form, oval, placed, rect, soft, stroke, WIDTH, type Sheet } from './sheet.ts';

/** The outline of a round-topped opening standing on `bottom`. */
export const arch = (x: number, width: number, top: number, bottom: number): string =>
  `M${x - width / 2} ${bottom}L${x - width / 2} ${top + width / 2}A${width / 2} ${width / 2} 0 0 1 ${x + width / 2} ${top + width / 2}L${x + width / 2} ${bottom}Z`;

/** An arched window with bars and a sill; `view` is what is seen through it. */
export function arched(
  sheet: Sheet,
  x: number,
  width: number,
  top: number,
  bottom: number,
  frame: string,
  view: string,
): string {
  const opening = arch(x, width, top, bottom);
  const bars = stroke(
    `M${x} ${top}L${x} ${bottom}M${x - width / 2} ${(top + width / 2 + bottom) / 2}L${x + width / 2} ${(top + width / 2 + bottom) / 2}`,
    frame,
    12,
  );
  return (
    soft(sheet, 14, placed(stroke(opening, '#4a2030', 30, 0.3), [8, 12])) +
    sheet.inside(opening, view + bars + soft(sheet, 10, stroke(opening, '#4a2030', 26, 0.25))) +
    stroke(opening, frame, 26) +
    stroke(opening, lighter(frame, 0.6), 5, 0.7) +
    rect(x - width / 2 - 40, bottom - 4, width + 80, 30, frame, 10) +
    rect(x - width / 2 - 40, bottom + 16, width + 80, 10, darker(frame, 0.3), 5, 0.5)
  );
}

/** A drawn curtain at one edge of the picture. */
export function curtain(sheet: Sheet, side: -1 | 1, colour: string): string {
  const outline = 'M-80-80L190-80C196 160 150 330 96 480C150 640 176 780 170 980L-80 980Z';
  const folds = [34, 78, 120]
    .map((x) =>
      stroke(
        `M${x + 20}-20C${x + 24} 200 ${x - 4} 360 ${x * 0.7} 480C${x} 640 ${x + 14} 780 ${x + 8} 920`,
        darker(colour, 0.45),
        12,
        0.25,
      ),
    )
    .join('');
  const tie = stroke('M-10 484Q50 520 100 474', lighter(colour, 0.55), 20);
  return placed(
    soft(sheet, 12, placed(fill(outline, '#3a1a2a', 0.28), [14, 6])) +
      form(sheet, outline, colour, { depth: 40, inside: soft(sheet, 5, folds) }) +
      tie,
    [side === -1 ? 0 : WIDTH, 0],
    0,
    [-side, 1],
  );
}

/** A plump cushion. */
export function cushion(sheet: Sheet, at: Point, turn: number, size: number, colour: string, trim: string): string {
  const outline = smooth(
    points(
      '-150,-96 -60,-88 60,-88 150,-96 158,-80 146,0 158,86 148,100 60,92 -60,92 -148,100 -158,86 -146,0 -158,-80',
    ),
  );
  const pattern = [-90, -30, 30, 90].map((x) => stroke(`M${x}-100Q${x * 1.1} 0 ${x} 100`, trim, 9, 0.65)).join('');
  return placed(
    soft(sheet, 14, placed(fill(outline, '#3a1a2a', 0.35), [6, 16])) +
      form(sheet, outline, colour, { depth: 44, inside: pattern }),
    at,
    turn,
    size,
  );
}

/** A clay pot with something growing in it. */
export const pot = (sheet: Sheet, at: Point, size: number, colour: string, plant: string): string =>
  placed(
    plant +
      soft(sheet, 8, oval([8, 128], 78, 16, '#3a1a2a', 0.35)) +
      form(sheet, 'M-74 0L74 0L54 124Q0 134-54 124Z', colour, { depth: 30 }) +
      form(
        sheet,
        'M-86-24L86-24Q92-24 90-14L86 10Q85 16 78 16L-78 16Q-85 16-86 10L-90-14Q-92-24-86-24Z',
        lighter(colour, 0.1),
        { depth: 18 },
      ),
    at,
    0,
    size,
  );

/** A picket fence across the picture. */
export const fence = (y: number, colour: string): string =>
  rect(-10, y + 44, WIDTH + 20, 18, darker(colour, 0.08)) +
  rect(-10, y + 120, WIDTH + 20, 18, darker(colour, 0.08)) +
  Array.from({ length: 15 }, (_, index): string => {
    const x = index * 86 - 14;
    return fill(
      `M${x} ${y + 220}L${x} ${y + 24}Q${x + 24} ${y - 16} ${x + 48} ${y + 24}L${x + 48} ${y + 220}Z`,
      index % 2 === 0 ? colour : darker(colour, 0.04),
    );
  }).join('');

/** A framed picture on the wall, holding a plain landscape. */
export const framed = (
  sheet: Sheet,
  x: number,
  y: number,
  width: number,
  height: number,
  wood: string,
  sky: string,
  land: string,
): string => {
  const view = `M${x} ${y}h${width}v${height}h${-width}Z`;
  return (
    soft(sheet, 8, rect(x - 6, y + 2, width + 24, height + 24, '#3a1a2a', 6, 0.3)) +
    rect(x - 14, y - 14, width + 28, height + 28, wood, 6) +
    sheet.inside(
      view,
      rect(x, y, width, height, sky) +
        oval([x + width * 0.68, y + height * 0.32], width * 0.13, width * 0.13, '#fdeec6') +
        oval([x + width * 0.25, y + height * 1.05], width * 0.6, height * 0.42, land) +
        oval([x + width * 0.9, y + height * 1.1], width * 0.6, height * 0.4, darker(land, 0.12)),
    )
  );
};
