import { flower, leaf } from './accessories.ts';
import { lighter, mix } from './colour.ts';
import { catNose, eyes, whiskers, type EyeLook } from './features.ts';
import { tufted } from './fur.ts';
import { moved, onSide, points, smooth, symmetric, type Point, type Side } from './geometry.ts';
import { combed, crest, type Mane } from './mane.ts';
import { dots, lips, parting, posed, sockets, stripe, stripes, underHead, type Pose } from './portrait.ts';
import { fill, form, fur, oval, placed, soft, stroke, type Sheet } from './sheet.ts';

/** What tells one lion from another. */
interface LionLook {
  readonly pose: Pose;
  readonly coat: string;
  readonly pale: string;
  readonly shade: string;
  readonly hair: string;
  readonly nose: string;
  readonly iris: string;
  readonly innerEar: string;
  readonly mane?: Mane;
  readonly bodyMarks?: (sheet: Sheet) => string;
  readonly extra?: (sheet: Sheet) => string;
}

/** Half outlines of the head and the body. */
const HEAD: readonly Point[] = points('0,-176 78,-164 138,-118 166,-40 164,40 136,118 86,184 40,210 0,214');

const BODY: readonly Point[] = points('0,520 150,540 196,640 276,720 340,800 366,900 370,990 0,990');

const EYE: EyeLook = {
  iris: '#c98a2a',
  rim: '#2a1712',
  radius: [35, 30],
  pupil: [0.46, 0.54],
  slant: 8,
  line: 7,
  lid: 0.08,
  lidColour: '#8a5a2c',
};

/** A lion. */
function lion(sheet: Sheet, look: LionLook): string {
  const { pose, coat, pale, shade, hair } = look;
  const body = tufted(symmetric(BODY), { size: 12, step: 34, seed: 111, fall: [0, 0.7] });
  const chest =
    form(sheet, body, coat, {
      depth: 74,
      shade,
      inside:
        soft(sheet, 30, oval([0, 800], 110, 150, pale, 0.6)) +
        (look.bodyMarks?.(sheet) ?? '') +
        parting(sheet, -4, [4, 790], shade) +
        fur({ centre: [0, 800], radius: [300, 120], count: 40, length: 30, source: [0, 420], seed: 112 }, hair, 0.35),
    }) + underHead(sheet, body, [4, 632], 200, 96, 0.34);
  const ear = (side: Side): string => {
    const outer = smooth(onSide(side, points('78,-140 98,-196 142,-222 186,-200 200,-150 182,-100 140,-80')));
    const inner = smooth(onSide(side, points('100,-140 112,-178 142,-196 172,-180 180,-146 166,-112 138,-100')));
    const shaggy = fur(
      {
        centre: [side * 126, -126],
        radius: [36, 36],
        count: 18,
        length: 52,
        source: [side * 70, -20],
        seed: 113,
        width: 6,
      },
      pale,
      0.9,
    );
    return (
      form(sheet, outer, mix(coat, shade, 0.12), { depth: 26, shade }) +
      form(sheet, inner, look.innerEar, { depth: 20, inside: shaggy })
    );
  };
  const head = tufted(symmetric(HEAD), { size: 16, step: 30, seed: 114, where: ([, y]) => (y > 40 ? 1 : 0.2) });
  const bridge = smooth(moved(symmetric(points('0,-90 26,-70 36,0 52,50 40,84 0,90')), pose.turn * 0.8, 0));
  const muzzle = smooth(moved(symmetric(points('0,62 50,64 96,92 104,136 66,168 24,160 0,144')), pose.turn, 0));
  const patch = (side: Side, text: string): string =>
    fill(smooth(moved(onSide(side, points(text)), pose.turn * 0.5, 0)), pale, 0.9);
  const light = (side: Side): string =>
    patch(side, '44,-70 76,-86 116,-74 88,-64') + patch(side, '50,0 84,8 112,-8 96,26 66,28');
  const tear = (side: Side): string =>
    stripe(
      [side * 44 + pose.turn * 0.6, -16],
      [side * 40 + pose.turn * 0.7, 12],
      [side * 47 + pose.turn * 0.8, 22],
      12,
    );
  const face =
    form(sheet, head, coat, {
      shade,
      inside:
        soft(sheet, 16, oval([-110, 90], 60, 56, pale, 0.55) + oval([112, 90], 60, 56, pale, 0.45)) +
        soft(sheet, 16, oval([pose.turn, 180], 110, 34, shade, 0.4)) +
        sockets(sheet, 78, -26, shade, pose.turn, 0.35) +
        soft(sheet, 5, light(-1) + light(1)) +
        soft(sheet, 9, fill(bridge, lighter(coat, 0.3), 0.75)) +
        soft(
          sheet,
          6,
          stroke(`M${-34 + pose.turn * 0.7}-60Q${-38 + pose.turn * 0.8} 10 ${-56 + pose.turn} 60`, shade, 8, 0.3),
        ) +
        soft(
          sheet,
          6,
          stroke(`M${34 + pose.turn * 0.7}-60Q${38 + pose.turn * 0.8} 10 ${56 + pose.turn} 60`, shade, 10, 0.4),
        ) +
        fill(stripes('16,-150,14,-120,22,-92,9 40,-142,34,-118,44,-96,8'), hair, 0.4) +
        fur({ centre: [0, 20], radius: [156, 170], count: 36, length: 24, source: [0, 30], seed: 115 }, hair, 0.32),
    }) +
    soft(sheet, 2, fill(tear(-1) + tear(1), EYE.rim, 0.5)) +
    form(
      sheet,
      tufted(moved(symmetric(points('0,140 50,154 56,190 30,216 0,222')), pose.turn, 0), {
        size: 14,
        step: 20,
        seed: 117,
        where: ([, y]) => (y > 170 ? 1 : 0),
      }),
      lighter(pale, 0.4),
      { depth: 18, shade },
    ) +
    soft(sheet, 8, fill(muzzle, shade, 0.35)) +
    form(sheet, muzzle, lighter(pale, 0.35), {
      depth: 28,
      shade,
      lightOpacity: 0.25,
      inside: dots(46, 116, '#5a3526', 0.6) + dots(40, 134, '#5a3526', 0.45),
    }) +
    eyes(sheet, 78, -28, { ...EYE, iris: look.iris, lidColour: mix(coat, shade, 0.55) }, pose.turn) +
    placed(lips(92, 48, 70, '#4a2a22', 6) + catNose(sheet, [0, 78], look.nose, [2.05, 1.7]), [pose.turn, 0]) +
    whiskers(76, 122, 180, '#fff8ea', 0.7);
  const mane = look.mane === undefined ? '' : combed(sheet, look.mane);
  const fringe = look.mane === undefined ? '' : crest(sheet, look.mane);
  return chest + posed(mane + ear(-1) + ear(1) + face + fringe + (look.extra?.(sheet) ?? ''), pose);
}

/** Amber, a lioness. */
function amber(sheet: Sheet): string {
  return lion(sheet, {
    pose: { at: [0, 420], tilt: -5, turn: -8, scale: 1.26 },
    coat: '#d9a35c',
    pale: '#f6e2bd',
    shade: '#7f4a2a',
    hair: '#9c6432',
    nose: '#a8605a',
    iris: '#d29a35',
    innerEar: '#8f5f47',
    extra: (s) =>
      flower(s, [124, -152], 0.95, '#f08a5d', '#f7d074', 6, 12) +
      flower(s, [168, -118], 0.56, '#fbe0b0', '#d9772f', 5, 40) +
      leaf('#6f9a52', [100, -128], 200, 0.5),
  });
}

/** Kito, a male with a grand dark mane. */
function kito(sheet: Sheet): string {
  return lion(sheet, {
    pose: { at: [0, 440], tilt: 4, turn: 8, scale: 1.04 },
    coat: '#d99e55',
    pale: '#f5deb4',
    shade: '#7a4526',
    hair: '#94592c',
    nose: '#8a4a48',
    iris: '#c98a2a',
    innerEar: '#7d4c35',
    mane: { tones: ['#4a2a20', '#7a4324', '#a8652e'], reach: 240, length: 160, layers: 4, seed: 121 },
  });
}

/** Sefu, a young male whose mane is still growing. */
function sefu(sheet: Sheet): string {
  return lion(sheet, {
    pose: { at: [0, 426], tilt: -8, turn: 10, scale: 1.2 },
    coat: '#dfae66',
    pale: '#f8e6c2',
    shade: '#83502c',
    hair: '#a36d38',
    nose: '#b06a62',
    iris: '#b98a35',
    innerEar: '#8f5f47',
    mane: { tones: ['#7d4b2b', '#9c6535', '#c08645'], reach: 158, length: 96, layers: 3, seed: 131 },
  });
}

/** Zuri, a white lion with a pale mane. */
function zuri(sheet: Sheet): string {
  return lion(sheet, {
    pose: { at: [0, 446], tilt: 6, turn: -10, scale: 1.06 },
    coat: '#f4e9d8',
    pale: '#fffaf0',
    shade: '#a58894',
    hair: '#b9a5a8',
    nose: '#c98f92',
    iris: '#7fb0c4',
    innerEar: '#d9b2aa',
    mane: { tones: ['#c3a78c', '#dcc5aa', '#f1e4d0'], reach: 234, length: 156, layers: 4, seed: 141 },
  });
}

/** The four lions. */
export const lions = { amber, kito, sefu, zuri };
