import { type EyeLook } from './features.ts';
import { moved, points, smooth, symmetric, type Side } from './geometry.ts';
import { parting } from './portrait.ts';
import { fill, form, stroke, type Sheet } from './sheet.ts';

/** The eye that most dogs share. */
export const BROWN_EYE: EyeLook = {
  iris: '#6b3d1e',
  rim: '#1d1216',
  radius: [29, 29],
  pupil: [0.62, 0.62],
  slant: 4,
  line: 6,
};

/** Left and right. */
export const SIDES: readonly Side[] = [-1, 1];

/** An open, panting mouth with the tongue out. */
export function laugh(sheet: Sheet, y: number): string {
  const mouth = smooth(moved(symmetric(points('0,-20 56,-14 68,10 46,54 0,68')), 0, y));
  const tongue = smooth(moved(symmetric(points('0,4 30,12 37,50 32,86 0,102')), 0, y));
  const groove = stroke(`M0 ${y + 10}Q-4 ${y + 44} 0 ${y + 72}`, '#b9505f', 6, 0.6);
  return fill(mouth, '#54202a') + form(sheet, tongue, '#ea8790', { depth: 18, inside: groove });
}

/** The parting between the front legs at the bottom of the picture. */
export const legs = (sheet: Sheet, colour: string): string =>
  parting(sheet, -4, [6, 770], colour) +
  parting(sheet, -210, [-160, 790], colour, 0.35) +
  parting(sheet, 210, [160, 790], colour, 0.35);
