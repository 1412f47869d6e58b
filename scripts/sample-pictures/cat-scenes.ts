import { leaf, flower } from './accessories.ts';
import { many, type Point } from './geometry.ts';
import { arched, curtain, pot } from './interior.ts';
import { field, glow, sun, hills, cloud, stars, rays, birds, halo } from './landscape.ts';
import { sprig, palm, tree } from './plants.ts';
import { form, oval, placed, rect, stroke, type Sheet } from './sheet.ts';

/** A clementine on its twig. */
const fruit = (sheet: Sheet, at: Point, size: number): string =>
  placed(
    form(sheet, 'M-52 0A52 50 0 1 1 52 0A52 50 0 1 1-52 0Z', '#ee8b2d', { depth: 30 }) +
      stroke('M0-48L4-66', '#6b5a2c', 7) +
      leaf('#6d9a4c', [2, -52], -24, 0.62),
    at,
    0,
    size,
  );

/** Where the six cats are. */
export const catScenes = {
  miso: (s: Sheet): string =>
    field(s, '#7fb5ad', '#6aa39c') +
    arched(
      s,
      600,
      700,
      40,
      700,
      '#fbeed6',
      field(s, '#fbdca6', '#fbeccd') +
        sun(s, [850, 330], 56, '#f8bb62') +
        hills(s, [560, 500, 540, 560, 500, 540], '#e0a981') +
        hills(s, [640, 600, 620, 630, 590, 620], '#a9bd8c'),
    ) +
    halo(s) +
    rect(0, 716, 1200, 190, '#5b918c') +
    curtain(s, -1, '#e2765c') +
    curtain(s, 1, '#e2765c') +
    pot(
      s,
      [986, 590],
      0.82,
      '#c96a4a',
      sprig('#6a9f62', [0, -10], 6, 0.72, 3) +
        sprig('#7fb06c', [-30, -10], -26, 0.55, 3) +
        sprig('#7fb06c', [34, -10], 34, 0.5, 2),
    ),
  luna: (s: Sheet): string =>
    field(s, '#4d3a72', '#ee9c7c') +
    stars(11, 40, '#fdeec2') +
    sun(s, [600, 380], 318, '#f7d58c') +
    oval([440, 270], 46, 40, '#e9bf74', 0.5) +
    oval([720, 210], 30, 26, '#e9bf74', 0.5) +
    oval([830, 420], 40, 36, '#e9bf74', 0.45) +
    cloud([150, 560], 0.9, '#f6b99a', 0.7) +
    cloud([1070, 500], 0.8, '#f6b99a', 0.7) +
    hills(s, [700, 640, 690, 700, 650, 690], '#8a4f72') +
    tree(s, [96, 740], 0.9, '#6a3b66', '#4d2c50') +
    tree(s, [1110, 730], 1.0, '#6a3b66', '#4d2c50') +
    hills(s, [790, 760, 770, 760, 750, 790], '#5d3562'),
  clementine: (s: Sheet): string =>
    field(s, '#6fae9f', '#a9cfae') +
    oval([600, 450], 400, 400, '#f9dfae') +
    oval([600, 450], 340, 340, '#fceccb', 0.8) +
    halo(s) +
    placed(sprig('#3f8062', [0, 0], 0, 1, 5), [-10, 250], 68) +
    placed(sprig('#4f9068', [0, 0], 0, 0.9, 4), [40, -20], 140) +
    placed(sprig('#3f8062', [0, 0], 0, 1, 5), [1210, 220], -70) +
    placed(sprig('#4f9068', [0, 0], 0, 0.9, 4), [1150, -20], -140) +
    sprig('#3f8062', [90, 930], -8, 1.1, 4) +
    sprig('#4f9068', [1120, 930], 10, 1.1, 4) +
    many('110,300,1 236,150,0.85 1090,290,1 972,130,0.8 70,700,0.95 1140,690,1 180,810,0.8', (at, size) =>
      fruit(s, at, size),
    ) +
    many('170,240,0.5 1020,220,0.5 110,610,0.46 1060,800,0.5', (at, size) =>
      flower(s, at, size, '#fffaf0', '#f2b53c', 5),
    ),
  smokey: (s: Sheet): string =>
    field(s, '#f7e3bd', '#f2cf9a') +
    [
      ['#d9745a', 520],
      ['#eda15f', 440],
      ['#f3c878', 360],
      ['#fae4b4', 280],
    ]
      .map(([colour, radius]) => oval([600, 640], Number(radius), Number(radius), String(colour)))
      .join('') +
    halo(s, '#fff4d6', 0.4) +
    hills(s, [760, 720, 740, 760, 720, 750], '#d98a5f') +
    sprig('#5f8f80', [110, 860], -8, 1.25, 5) +
    sprig('#79a58c', [210, 900], 14, 0.85, 4) +
    sprig('#5f8f80', [1096, 860], 10, 1.2, 5) +
    sprig('#79a58c', [1000, 900], -14, 0.8, 4) +
    hills(s, [850, 830, 850, 836, 850], '#b9624a') +
    cloud([150, 180], 0.7, '#fff6e6') +
    cloud([1060, 210], 0.8, '#fff6e6'),
  nimbus: (s: Sheet): string =>
    field(s, '#6f93c4', '#f7b79c') +
    sun(s, [880, 300], 110, '#fbd9a0') +
    glow(s, [600, 400], 480, '#f9d2b8', 0.5) +
    cloud([180, 220], 1.1, '#fbe3d8', 0.85) +
    cloud([1060, 150], 0.8, '#fbe3d8', 0.7) +
    cloud([80, 480], 0.9, '#fbd5c4', 0.85) +
    cloud([1130, 520], 1.1, '#fbd5c4', 0.9) +
    cloud([370, 90], 0.45, '#fdeee4', 0.8) +
    birds([980, 420], 0.7, '#8a6a86') +
    hills(s, [690, 640, 720, 700, 640, 700], '#f0a896') +
    hills(s, [790, 740, 760, 770, 730, 780], '#de8c86') +
    cloud([160, 850], 1.9, '#fdf0e6', 0.95) +
    cloud([1050, 860], 2.0, '#fdf0e6', 0.95),
  ziggy: (s: Sheet): string =>
    field(s, '#2f7f80', '#57a398') +
    rays([600, 470], 18, '#f3d492', 0.22) +
    oval([600, 450], 360, 360, '#eebf6a') +
    oval([600, 450], 334, 334, '#2f7f80', 0.25) +
    oval([600, 450], 318, 318, '#f6d794') +
    halo(s) +
    hills(s, [730, 700, 720, 740, 720, 690, 730], '#c96a55') +
    hills(s, [800, 780, 790, 800, 780, 800], '#a94f4a') +
    palm('#1f625f', [60, 760], 20, 1.5) +
    palm('#3b8f7c', [210, 900], -6, 1.0) +
    palm('#1f625f', [1140, 760], -20, 1.5) +
    palm('#3b8f7c', [1000, 900], 6, 1.0) +
    stars(21, 16, '#fbe6b0', 420),
};
