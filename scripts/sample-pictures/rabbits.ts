import { bandana, leaf } from './accessories.ts';
import { tufted } from './fur.ts';
import { many, onSide, points, smooth, type Side } from './geometry.ts';
import { bib } from './portrait.ts';
import { rabbit } from './rabbit.ts';
import { fill, form, oval, placed, soft, stroke, type Sheet } from './sheet.ts';

/** Clover, a brown lop with a lucky leaf. */
function clover(sheet: Sheet): string {
  const [coat, pale] = ['#a97650', '#e6c79f'];
  return rabbit(sheet, {
    pose: { at: [0, 448], tilt: 6, turn: 4, scale: 1.36 },
    coat,
    ears: ['#8f5f3e', '#8f5f3e'],
    innerEar: '#e7b3a2',
    muzzle: '#e9d0ae',
    nose: '#d98583',
    shade: '#54301f',
    hair: '#6f4630',
    whisker: '#fff6e6',
    iris: '#4f2c18',
    lop: true,
    lean: [0, 0],
    fluff: 22,
    marks: (s) => soft(s, 12, fill(smooth(points('0,-150 20,-100 14,-20 -6,-20 -16,-100')), pale, 0.8)),
    bodyMarks: (s) => soft(s, 8, fill(bib(690, 120, 980), pale, 0.8)),
    worn: () => '',
    extra: (s) => {
      const lucky = [45, 135, 225, 315]
        .map((turn) =>
          placed(
            fill(
              'M0 0C-26-10-30-42-10-46C-4-47 0-42 0-38C0-42 4-47 10-46C30-42 26-10 0 0Z',
              s.fade('#8fc466', '#4f8f45'),
            ) + stroke('M0-6L0-26', '#d5ecb4', 3, 0.6),
            [0, 0],
            turn,
          ),
        )
        .join('');
      return placed(stroke('M0 0Q16 40 6 66', '#4f8f45', 6) + lucky, [-100, -142], -14, 0.9);
    },
  });
}

/** Button, white with upright ears and a bow tie. */
function button(sheet: Sheet): string {
  return rabbit(sheet, {
    pose: { at: [0, 532], tilt: -5, turn: -6, scale: 1.08 },
    coat: '#f8f3ef',
    ears: ['#f6efea', '#f6efea'],
    innerEar: '#f4b8b4',
    muzzle: '#fffdfa',
    nose: '#e88d92',
    shade: '#a596b6',
    hair: '#b8abc2',
    whisker: '#ffffff',
    iris: '#5c3a30',
    lean: [14, 8],
    fluff: 22,
    marks: () => '',
    bodyMarks: (s) => soft(s, 14, fill(bib(690, 110, 980), '#fffdfa', 0.9)),
    worn: (s) => {
      const bow = (side: Side): string =>
        form(s, smooth(onSide(side, points('0,-6 40,-40 96,-46 108,0 92,46 40,34 0,8'))), '#5f8fc0', {
          depth: 26,
          inside: stroke(
            `M${side * 14} 0Q${side * 50}-10 ${side * 82}-22M${side * 14} 6Q${side * 48} 8 ${side * 74} 22`,
            '#2e5480',
            5,
            0.45,
          ),
        });
      const knot = form(s, smooth(points('-20,-20 20,-20 24,20 -24,20')), '#4f7fb2', { depth: 14 });
      return placed(soft(s, 10, oval([8, 24], 108, 44, '#4d4166', 0.35)) + bow(-1) + bow(1) + knot, [-6, 776], -3);
    },
  });
}

/** Hazel, grey with one ear to the side. */
function hazel(sheet: Sheet): string {
  return rabbit(sheet, {
    pose: { at: [0, 532], tilt: 8, turn: 10, scale: 1.08 },
    coat: '#93959d',
    ears: ['#83858f', '#83858f'],
    innerEar: '#d6aaa6',
    muzzle: '#d9d8d8',
    nose: '#b4767c',
    shade: '#454557',
    hair: '#55576a',
    whisker: '#fbf8f2',
    iris: '#6d4423',
    lean: [6, 34],
    fluff: 24,
    marks: (s) => soft(s, 14, oval([-100, 110], 60, 46, '#b9bac1', 0.6) + oval([110, 110], 60, 46, '#b9bac1', 0.5)),
    bodyMarks: (s) => soft(s, 10, fill(bib(690, 120, 980), '#c9c9cc', 0.8)),
    worn: (s, body) => bandana(s, body, 734, '#b9553f', '#f3cf9a'),
  });
}

const BLACK = '#35303a';

/** The dark side of a Dutch rabbit's face. */
const patch = (side: Side): string =>
  fill(
    tufted(onSide(side, points('14,-170 26,-110 40,-40 66,34 108,92 168,130 220,60 190,-120 100,-190')), {
      size: 9,
      step: 20,
      seed: 103 + side,
    }),
    BLACK,
  );

/** Parsley, black and white in the Dutch pattern, never without a sprig. */
function parsley(sheet: Sheet): string {
  return rabbit(sheet, {
    pose: { at: [0, 532], tilt: -8, turn: 6, scale: 1.08 },
    coat: '#f7f2ec',
    ears: [BLACK, BLACK],
    innerEar: '#c49a9c',
    muzzle: '#fffcf7',
    nose: '#d98a8c',
    shade: '#9a8ca6',
    light: '#ffffff',
    hair: '#a79bb0',
    whisker: '#fffdf8',
    iris: '#4a2b1e',
    ring: '#4c4552',
    lean: [22, 4],
    fluff: 20,
    marks: () => {
      return patch(-1) + patch(1);
    },
    bodyMarks: () =>
      fill(
        tufted(points('-330,812 -180,794 0,830 180,794 330,812 330,1000 -330,1000'), { size: 16, step: 26, seed: 106 }),
        BLACK,
      ),
    worn: () => '',
    extra: () => {
      const sprig =
        stroke('M-24 140Q-96 150-150 196', '#5c8f3f', 7) +
        many('-150,196,150 -138,184,215 -128,180,105 -168,206,185 -112,166,230 -102,164,120', (at, turn) =>
          leaf('#79b356', at, turn, 0.46),
        );
      return sprig;
    },
  });
}

/** The four rabbits. */
export const rabbits = { clover, button, hazel, parsley };
