import { darker, lighter, mix } from './colour.ts';
import { catNose, eyes, whiskers, type EyeLook } from './features.ts';
import { tufted } from './fur.ts';
import { moved, onSide, points, smooth, symmetric, type Point, type Side } from './geometry.ts';
import { dots, lips, parting, posed, sockets, underHead, type Pose } from './portrait.ts';
import { fill, form, fur, oval, placed, soft, type Sheet } from './sheet.ts';

/** What tells one cat from another; the anatomy is the same for all. */
export interface CatLook {
  readonly pose: Pose;
  readonly coat: string;
  readonly ears: readonly [string, string];
  readonly innerEar: string;
  readonly muzzle: string;
  readonly nose: string;
  readonly lip: string;
  readonly shade?: string;
  readonly light?: string;
  readonly hair: string;
  readonly whisker: string;
  readonly eye: EyeLook;
  /** Half of the head's outline. */
  readonly head: readonly Point[];
  readonly earShape: readonly Point[];
  /** Length of the fur at the edges. */
  readonly fluff: number;
  readonly marks: (sheet: Sheet) => string;
  readonly bodyMarks: (sheet: Sheet) => string;
  /** Collar and the like, given the outline of the body. */
  readonly worn: (sheet: Sheet, body: string) => string;
  readonly extra?: (sheet: Sheet) => string;
}

/** Half outlines of the three shapes of head. */
export const EVEN_HEAD: readonly Point[] = points('0,-160 66,-150 128,-108 168,-30 178,50 148,122 80,166 0,176');

export const BROAD_HEAD: readonly Point[] = points('0,-166 76,-154 142,-108 182,-24 194,60 160,136 84,176 0,184');

export const WEDGE_HEAD: readonly Point[] = points('0,-158 60,-148 118,-108 154,-36 152,40 118,112 62,162 0,178');

/** Right ears. */
export const EAR: readonly Point[] = points(
  '24,-132 58,-184 112,-250 148,-274 162,-268 176,-196 178,-104 150,-60 80,-80',
);

export const SMALL_EAR: readonly Point[] = points(
  '44,-134 82,-182 134,-232 158,-246 172,-238 184,-180 186,-100 150,-60 90,-80',
);

export const LARGE_EAR: readonly Point[] = points(
  '18,-126 60,-192 136,-278 176,-302 190,-292 192,-200 166,-80 140,-40 70,-70',
);

/** The eye that the others vary. */
export const CAT_EYE: EyeLook = {
  iris: '#d9a520',
  rim: '#241419',
  radius: [45, 38],
  slant: 9,
  pupil: [0.36, 0.74],
  line: 7,
};

const SIT: readonly Point[] = points('0,540 104,556 130,640 196,710 250,790 282,900 288,980 0,980');

/** Fur stands out at the cheeks and lies flat on the crown. */
const cheeky = ([x, y]: Point): number => (y > 10 && Math.abs(x) > 60 ? 1 : y > 10 ? 0.35 : y < -110 ? 0.25 : 0.3);

/** A cat. */
export function cat(sheet: Sheet, look: CatLook): string {
  const { pose, coat, fluff, hair } = look;
  const shade = look.shade ?? darker(coat, 0.45);
  const light = look.light ?? lighter(coat, 0.5);
  const body = tufted(symmetric(SIT), { size: fluff * 0.9, step: 36, seed: 61, fall: [0, 0.7] });
  const chest =
    form(sheet, body, coat, {
      depth: 64,
      shade,
      light,
      inside:
        look.bodyMarks(sheet) +
        parting(sheet, -6, [0, 780], shade) +
        fur(
          { centre: [0, 790], radius: [240, 120], count: 36, length: 26 + fluff, source: [0, 430], seed: 62 },
          hair,
          0.3,
        ),
    }) +
    underHead(sheet, body, [4, 648], 180, 74) +
    look.worn(sheet, body);
  const ear = (side: Side): string => {
    const colour = look.ears[side === -1 ? 0 : 1];
    const outer = onSide(side, look.earShape);
    const middle: Point = [side * 124, -130];
    const inner = outer.map(([x, y]): Point => [
      middle[0] + (x - middle[0]) * 0.66,
      middle[1] + (y - middle[1]) * 0.74,
    ]);
    const shaggy = fur(
      {
        centre: [side * 96, -126],
        radius: [34, 40],
        count: 18,
        length: 66,
        source: [side * 60, -20],
        width: 7,
        seed: 65,
      },
      mix(lighter(colour, 0.55), look.innerEar, 0.2),
      0.9,
    );
    return (
      form(sheet, smooth(outer), colour, { depth: 26, ...(look.light === undefined ? {} : { light }) }) +
      form(sheet, smooth(inner), look.innerEar, { depth: 22, inside: shaggy })
    );
  };
  const head = tufted(symmetric(look.head), { size: fluff, step: 30, seed: 66, where: cheeky, fall: [0, 0.6] });
  const muzzle = smooth(moved(symmetric(points('0,54 38,60 78,84 84,118 50,142 18,134 0,122')), pose.turn, 0));
  const chin = smooth(moved(symmetric(points('0,116 34,128 34,154 0,168')), pose.turn, 0));
  const bridge = soft(sheet, 12, oval([pose.turn * 0.6, 10], 24, 66, lighter(coat, 0.3), 0.4));
  const face =
    form(sheet, head, coat, {
      shade,
      light,
      inside:
        look.marks(sheet) +
        bridge +
        sockets(sheet, 86, 4, shade, pose.turn, 0.35) +
        soft(sheet, 14, oval([pose.turn, 150], 90, 30, shade, 0.4)) +
        fur(
          { centre: [0, 40], radius: [168, 126], count: 34, length: 20 + fluff * 0.5, source: [0, 30], seed: 67 },
          hair,
          0.32,
        ),
    }) +
    form(sheet, chin, look.muzzle, { depth: 16, shade }) +
    soft(sheet, 7, fill(muzzle, shade, 0.3)) +
    form(sheet, muzzle, look.muzzle, { depth: 22, shade, lightOpacity: 0.25, inside: dots(36, 104, look.lip, 0.4) }) +
    eyes(sheet, 86, 0, look.eye, pose.turn) +
    placed(lips(84, 26, 46, look.lip, 5) + catNose(sheet, [0, 74], look.nose, 1.05), [pose.turn, 0]) +
    whiskers(64, 104, 190, look.whisker);
  return chest + posed(ear(-1) + ear(1) + face + (look.extra?.(sheet) ?? ''), pose);
}
