import { darker, lighter } from './colour.ts';
import { eye, whiskers, type EyeLook } from './features.ts';
import { tufted } from './fur.ts';
import { moved, onSide, points, smooth, symmetric, type Point, type Side } from './geometry.ts';
import { dots, posed, underHead, type Pose } from './portrait.ts';
import { fill, form, fur, oval, placed, soft, stroke, type Sheet } from './sheet.ts';

/** What tells one rabbit from another. */
export interface RabbitLook {
  readonly pose: Pose;
  readonly coat: string;
  readonly ears: readonly [string, string];
  readonly innerEar: string;
  readonly muzzle: string;
  readonly nose: string;
  readonly shade: string;
  readonly light?: string;
  readonly hair: string;
  readonly whisker: string;
  readonly iris: string;
  readonly lop?: boolean;
  /** The lighter ring around the eyes. */
  readonly ring?: string;
  /** How far each ear leans outwards, in degrees. */
  readonly lean: readonly [number, number];
  readonly fluff: number;
  readonly marks: (sheet: Sheet) => string;
  readonly bodyMarks: (sheet: Sheet) => string;
  readonly worn: (sheet: Sheet, body: string) => string;
  readonly extra?: (sheet: Sheet) => string;
}

/** Half outlines of the head and the body. */
const HEAD: readonly Point[] = points('0,-152 66,-142 118,-94 146,-20 164,62 140,134 78,176 0,186');
const BODY: readonly Point[] = points('0,520 110,550 146,630 212,700 262,790 284,890 288,990 0,990');
/** A standing ear around its root, and a hanging right ear. */
const UPRIGHT: readonly Point[] = points('-34,40 -50,-60 -62,-180 -46,-280 -8,-330 30,-286 54,-180 50,-60 36,40 0,60');
const HANGING: readonly Point[] = points(
  '40,-150 88,-174 146,-152 196,-70 230,60 240,170 208,230 158,204 144,100 150,0 118,-86',
);

/** An ear that stands. */
function upright(sheet: Sheet, side: Side, look: RabbitLook): string {
  const index = side === -1 ? 0 : 1;
  const inner = UPRIGHT.map(([x, y]): Point => [x * 0.56, y * 0.86 - 18]);
  const hollow =
    soft(sheet, 10, stroke('M0 0Q-8-150-6-270', darker(look.innerEar, 0.4), 16, 0.3)) +
    fur(
      { centre: [0, -10], radius: [26, 50], count: 14, length: 60, source: [0, 120], seed: 91, width: 5 },
      lighter(look.ears[index], 0.4),
      0.8,
    );
  const ear =
    form(sheet, smooth(UPRIGHT), look.ears[index], { depth: 30, shade: darker(look.ears[index], 0.45) }) +
    form(sheet, smooth(inner), look.innerEar, { depth: 24, inside: hollow });
  return placed(ear, [side * 60, -128], side * look.lean[index], [side, 1]);
}

/** An ear that hangs in front of the cheek. */
function hanging(sheet: Sheet, side: Side, look: RabbitLook): string {
  const colour = look.ears[side === -1 ? 0 : 1];
  const shape = HANGING.map(([x, y]): Point => [x, y + (side === 1 ? 22 : 14)]);
  const outline = onSide(side, shape);
  const crease = stroke(
    side === 1 ? 'M120-120Q176 10 172 170' : 'M-120-120Q-176 10-172 170',
    darker(colour, 0.5),
    16,
    0.35,
  );
  return (
    soft(sheet, 12, placed(fill(smooth(outline), look.shade, 0.5), [3, 9])) +
    form(
      sheet,
      tufted(outline, { size: 12, step: 24, seed: 93 + side, where: ([, y]) => (y < -60 ? 0 : 1), fall: [0, 0.8] }),
      colour,
      {
        depth: 46,
        shade: look.shade,
        inside:
          soft(sheet, 9, crease) +
          fur(
            {
              centre: [side * 170, 60],
              radius: [40, 130],
              count: 22,
              length: 30,
              source: [side * 110, -260],
              seed: 94,
            },
            look.hair,
            0.4,
          ),
      },
    )
  );
}

/** A rabbit. */
export function rabbit(sheet: Sheet, look: RabbitLook): string {
  const { pose, coat, shade, fluff } = look;
  const apart = look.lop === true ? 86 : 102;
  const light = look.light ?? lighter(coat, 0.5);
  const body = tufted(symmetric(BODY), { size: fluff, step: 36, seed: 95, fall: [0, 0.7] });
  const chest =
    form(sheet, body, coat, {
      depth: 64,
      shade,
      light,
      inside:
        look.bodyMarks(sheet) +
        fur(
          { centre: [0, 830], radius: [240, 80], count: 28, length: 34, source: [0, 560], seed: 96 },
          look.hair,
          0.35,
        ),
    }) +
    underHead(sheet, body, [2, 700], 172, 70, 0.34) +
    look.worn(sheet, body);
  const head = tufted(symmetric(HEAD), { size: fluff, step: 28, seed: 97, where: ([, y]) => (y > 30 ? 1 : 0.15) });
  const cheeks = smooth(moved(symmetric(points('0,58 40,64 84,96 88,134 54,160 20,152 0,138')), pose.turn, 0));
  const chin = smooth(moved(symmetric(points('0,130 34,144 32,172 0,184')), pose.turn, 0));
  const eyeLook: EyeLook = { iris: look.iris, rim: '#20151a', radius: [35, 37], pupil: [0.68, 0.7], slant: 8, line: 6 };
  const around = (side: Side): string =>
    oval([side * apart + pose.turn * 0.5, -14], 54, 54, look.ring ?? lighter(coat, 0.45), 0.6);
  const nose =
    form(sheet, 'M-20-8C-16-17-6-14 0-14C6-14 16-17 20-8C18 0 7 8 0 12C-7 8-18 0-20-8Z', look.nose, { depth: 8 }) +
    stroke('M-14-4Q-9-6-5 0M14-4Q9-6 5 0', darker(look.nose, 0.5), 2.5, 0.6) +
    stroke('M0 12L0 40M0 40Q-12 56-34 54M0 40Q12 56 34 54', darker(look.nose, 0.62), 4.5, 0.85);
  const face =
    form(sheet, head, coat, {
      shade,
      light,
      inside:
        look.marks(sheet) +
        soft(sheet, 10, around(-1) + around(1)) +
        soft(sheet, 14, oval([pose.turn * 0.6, 0], 26, 80, lighter(coat, 0.4), 0.35)) +
        soft(sheet, 16, oval([pose.turn, 160], 96, 30, shade, 0.35)) +
        fur({ centre: [0, 30], radius: [150, 140], count: 34, length: 24, source: [0, 40], seed: 98 }, look.hair, 0.35),
    }) +
    form(sheet, chin, look.muzzle, { depth: 16, shade }) +
    soft(sheet, 8, fill(cheeks, shade, 0.28)) +
    form(sheet, cheeks, look.muzzle, {
      depth: 24,
      shade,
      lightOpacity: 0.3,
      inside: dots(42, 112, darker(look.muzzle, 0.6), 0.4),
    }) +
    eye(sheet, -1, [-apart + pose.turn * 0.5, -14], eyeLook) +
    eye(sheet, 1, [apart + pose.turn * 0.5, -14], eyeLook) +
    soft(sheet, 10, oval([-116, 82], 30, 18, '#ef9d93', 0.3) + oval([118, 82], 30, 18, '#ef9d93', 0.3)) +
    placed(nose, [pose.turn, 84]);
  const behind = look.lop === true ? '' : upright(sheet, -1, look) + upright(sheet, 1, look);
  const before = look.lop === true ? hanging(sheet, -1, look) + hanging(sheet, 1, look) : '';
  return (
    chest +
    posed(behind + face + before + whiskers(62, 116, 170, look.whisker, 0.75) + (look.extra?.(sheet) ?? ''), pose)
  );
}
