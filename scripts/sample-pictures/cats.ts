import { bandana, bell, collar, flower, heart, star, tag } from './accessories.ts';
import { BROAD_HEAD, cat, CAT_EYE, EAR, EVEN_HEAD, LARGE_EAR, SMALL_EAR, WEDGE_HEAD } from './cat.ts';
import { darker } from './colour.ts';
import { tufted } from './fur.ts';
import { moved, points, smooth, symmetric, type Point } from './geometry.ts';
import { bib, stripe, stripes, underHead } from './portrait.ts';
import { fill, form, fur, oval, soft, type Sheet } from './sheet.ts';

/** Miso, an orange tabby. */
function miso(sheet: Sheet): string {
  const [coat, pale, dark] = ['#e8954a', '#fbe3bd', '#bb5b22'];
  return cat(sheet, {
    pose: { at: [0, 436], tilt: -7, turn: -6, scale: 1.2 },
    coat,
    ears: ['#dd8138', '#dd8138'],
    innerEar: '#f0b49a',
    muzzle: '#fdf0d8',
    nose: '#dd7f76',
    lip: '#7c3a23',
    hair: dark,
    whisker: '#fff8ea',
    eye: { ...CAT_EYE, iris: '#8aa53c' },
    head: EVEN_HEAD,
    earShape: EAR,
    fluff: 20,
    marks: (s) =>
      soft(
        s,
        10,
        oval([-6, 110], 110, 70, pale, 0.85) + oval([-84, -34], 44, 20, pale, 0.7) + oval([80, -34], 44, 20, pale, 0.7),
      ) +
      fill(
        stripe([0, -160], [0, -110], [0, -58], 22) +
          stripes(
            '40,-160,30,-112,27,-62,22 78,-152,64,-106,58,-72,20 190,-44,156,-34,134,-12,20 200,14,156,22,124,44,22 196,66,158,78,118,86,22 150,122,128,124,100,118,16',
          ),
        dark,
        0.8,
      ),
    bodyMarks: (s) =>
      soft(s, 8, fill(bib(580, 92, 880), pale, 0.9)) +
      fill(
        stripes(
          '260,700,180,720,112,716,28 280,760,210,776,122,770,30 300,824,220,836,132,826,30 310,888,230,896,140,884,30',
        ),
        dark,
        0.7,
      ),
    worn: (s, body) => collar(s, body, 664, '#37777d', { dip: 56, width: 28 }) + bell(s, [2, 680], '#f2c14b'),
  });
}

/** Luna, black with yellow eyes. */
function luna(sheet: Sheet): string {
  return cat(sheet, {
    pose: { at: [0, 432], tilt: 6, turn: 8, scale: 1.18 },
    coat: '#2f2b3a',
    ears: ['#2f2b3a', '#2f2b3a'],
    innerEar: '#6d5265',
    muzzle: '#39344a',
    nose: '#1d1821',
    lip: '#0f0c14',
    shade: '#100c18',
    light: '#8179a3',
    hair: '#7d769c',
    whisker: '#e9e4f4',
    eye: { ...CAT_EYE, iris: '#f0c52e', rim: '#0d0a11', radius: [46, 42], slant: 5 },
    head: WEDGE_HEAD.map(([x, y]): Point => [x * 1.08, y]),
    earShape: LARGE_EAR,
    fluff: 16,
    marks: () => '',
    bodyMarks: (s) => soft(s, 20, oval([-20, 760], 60, 90, '#4b4560', 0.6)),
    worn: (s, body) =>
      collar(s, body, 660, '#a5467b', { dip: 54, width: 26 }) +
      tag(s, [-4, 676], '#f5dc8c', fill('M6-18A18 18 0 1 0 18 8A15 15 0 0 1 6-18Z', '#b8862a')),
  });
}

/** Clementine, a calico with a flower behind her ear. */
function clementine(sheet: Sheet): string {
  const [orange, black] = ['#e2893c', '#3b333d'];
  return cat(sheet, {
    pose: { at: [0, 438], tilt: 8, turn: 4, scale: 1.2 },
    coat: '#fbf3e6',
    ears: [orange, black],
    innerEar: '#f0b6a4',
    muzzle: '#fffaf0',
    nose: '#e08a86',
    lip: '#7a4643',
    shade: '#a98d94',
    hair: '#b79b94',
    whisker: '#fffdf6',
    eye: { ...CAT_EYE, iris: '#7f9d4a' },
    head: EVEN_HEAD,
    earShape: EAR,
    fluff: 24,
    marks: () =>
      fill(
        tufted(points('-40,-170 -24,-110 -40,-40 -52,34 -110,62 -170,36 -220,-60 -150,-170'), {
          size: 11,
          step: 20,
          seed: 71,
        }),
        orange,
      ) +
      fill(
        tufted(points('10,-170 26,-104 52,-54 84,40 140,40 196,20 220,-80 120,-180'), { size: 11, step: 20, seed: 72 }),
        black,
      ) +
      fill(tufted(points('150,60 196,44 210,110 160,122'), { size: 10, step: 18, seed: 73 }), orange) +
      fill(
        stripe([-70, -160], [-72, -110], [-64, -70], 16) +
          stripe([-110, -140], [-104, -100], [-92, -66], 14) +
          stripe([-190, -20], [-160, -6], [-136, 14], 14),
        darker(orange, 0.3),
        0.55,
      ),
    bodyMarks: () =>
      fill(
        tufted(points('-320,680 -150,690 -112,770 -150,850 -220,920 -330,900'), { size: 16, step: 26, seed: 74 }),
        black,
      ) + fill(tufted(points('130,700 300,680 320,850 200,850 140,790'), { size: 16, step: 26, seed: 75 }), orange),
    worn: (s, body) =>
      collar(s, body, 664, '#5e8f5c', { dip: 56, width: 26 }) +
      tag(s, [0, 680], '#ef9a3f', oval([0, 1], 13, 12, '#f9c46c') + oval([6, -13], 7, 4, '#5e8f5c')),
    extra: (s) =>
      flower(s, [-118, -136], 0.82, '#fff6e6', '#f2b53c', 6, 10) +
      flower(s, [-160, -104], 0.5, '#f8d7b0', '#d9772f', 5, 30),
  });
}

/** Smokey, grey and round. */
function smokey(sheet: Sheet): string {
  return cat(sheet, {
    pose: { at: [0, 440], tilt: -4, turn: 6, scale: 1.22 },
    coat: '#8b919f',
    ears: ['#7f8594', '#7f8594'],
    innerEar: '#c9a4a6',
    muzzle: '#a3a8b5',
    nose: '#6b5b68',
    lip: '#3e3a4a',
    shade: '#474a60',
    hair: '#545869',
    whisker: '#f6f4f2',
    eye: { ...CAT_EYE, iris: '#de8f2a', radius: [43, 39], slant: 5, lid: 0.16, lidColour: '#5b6072' },
    head: BROAD_HEAD,
    earShape: SMALL_EAR,
    fluff: 16,
    marks: (s) => soft(s, 14, oval([-100, 100], 60, 40, '#a9aebb', 0.7) + oval([110, 100], 50, 40, '#a9aebb', 0.5)),
    bodyMarks: (s) => soft(s, 22, oval([-20, 780], 90, 120, '#a9aebb', 0.6)),
    worn: (s, body) => bandana(s, body, 664, '#3f6f8f', '#d7e6ea'),
  });
}

/** Nimbus, white and fluffy. */
function nimbus(sheet: Sheet): string {
  const ruff = tufted(symmetric(points('0,560 170,590 212,680 190,780 110,870 0,900')), {
    size: 62,
    step: 42,
    seed: 81,
    fall: [0, 0.75],
  });
  return cat(sheet, {
    pose: { at: [0, 436], tilt: 5, turn: -8, scale: 1.16 },
    coat: '#f7f2ee',
    ears: ['#f2eae6', '#f2eae6'],
    innerEar: '#f2bdb6',
    muzzle: '#fffcf8',
    nose: '#e9989a',
    lip: '#8a5c66',
    shade: '#9d93b5',
    hair: '#b5abc4',
    whisker: '#ffffff',
    eye: { ...CAT_EYE, iris: '#5d9aa6', radius: [44, 40], slant: 5 },
    head: BROAD_HEAD,
    earShape: SMALL_EAR,
    fluff: 52,
    marks: (s) => soft(s, 14, oval([-110, 90], 50, 34, '#f6d3cd', 0.35) + oval([104, 90], 50, 34, '#f6d3cd', 0.35)),
    extra: (s) =>
      form(
        s,
        tufted(points('-62,-150 -26,-176 26,-178 64,-152 26,-126 -26,-124'), {
          size: 40,
          step: 24,
          seed: 83,
          fall: [0.25, 0.45],
          where: ([, y]) => (y > -150 ? 1 : 0.7),
        }),
        '#fdf9f6',
        { depth: 12, shade: '#9d93b5', shadeOpacity: 0.35 },
      ),
    bodyMarks: () => '',
    worn: (s, body) =>
      sheet.inside(body, soft(s, 14, fill(ruff, '#756a94', 0.4))) +
      form(s, ruff, '#fbf7f3', {
        depth: 60,
        shade: '#9d93b5',
        inside: fur(
          { centre: [0, 770], radius: [190, 120], count: 34, length: 70, source: [0, 480], seed: 84, width: 5 },
          '#b5abc4',
          0.45,
        ),
      }) +
      underHead(s, ruff, [0, 636], 190, 74, 0.3) +
      tag(s, [6, 700], '#8fb7d8', heart('#fdf6ee')),
  });
}

/** Ziggy, a Siamese with a dark face and blue eyes. */
function ziggy(sheet: Sheet): string {
  const [cream, point] = ['#f1e2c9', '#4a3733'];
  return cat(sheet, {
    pose: { at: [0, 428], tilt: -9, turn: 10, scale: 1.2 },
    coat: cream,
    ears: [point, point],
    innerEar: '#8d6a66',
    muzzle: '#55413c',
    nose: '#2a1e20',
    lip: '#1d1416',
    shade: '#8a6f6a',
    hair: '#a78b76',
    whisker: '#fffaf0',
    eye: { ...CAT_EYE, iris: '#3f8fd6', rim: '#221719', radius: [46, 36], slant: 13 },
    head: WEDGE_HEAD,
    earShape: LARGE_EAR,
    fluff: 9,
    marks: (s) =>
      soft(
        s,
        17,
        fill(smooth(moved(symmetric(points('0,-112 44,-84 104,-52 130,10 104,76 84,140 0,180')), 6, 0)), point, 0.96),
      ) +
      soft(s, 20, oval([-120, -120], 40, 34, point, 0.7) + oval([120, -120], 40, 34, point, 0.7)) +
      soft(s, 12, oval([6, -20], 20, 60, '#6d5550', 0.8)),
    bodyMarks: (s) =>
      soft(s, 40, oval([-240, 930], 110, 140, point, 0.55) + oval([240, 930], 110, 140, point, 0.55)) +
      soft(s, 20, oval([-10, 780], 70, 110, '#fff6e2', 0.7)),
    worn: (s, body) =>
      collar(s, body, 660, '#c8503f', { dip: 54, width: 26 }) + tag(s, [6, 676], '#f3c34f', star('#a86b1d')),
  });
}

/** The six cats. */
export const cats = { miso, luna, clementine, smokey, nimbus, ziggy };
