import { leaf } from './accessories.ts';
import { darker } from './colour.ts';
import { many, points } from './geometry.ts';
import { arch, pot } from './interior.ts';
import { field, sun, hills, cloud, butterfly, halo } from './landscape.ts';
import { sprig, grass, tree, tulip } from './plants.ts';
import { fill, form, oval, placed, rect, stroke, type Sheet } from './sheet.ts';

/** A kitchen garden seen through a wide arch. */
function garden(sheet: Sheet): string {
  const opening = arch(600, 820, 40, 800);
  return (
    sheet.inside(
      opening,
      field(sheet, '#8fc6bd', '#f3eccb') +
        sun(sheet, [800, 240], 62, '#fbd98c') +
        cloud([370, 220], 0.6, '#fff8ea') +
        hills(sheet, [560, 520, 560, 540, 510, 560], '#a9c78c'),
    ) +
    stroke(opening, '#fdf0d6', 24) +
    stroke(opening, darker('#fdf0d6', 0.12), 4, 0.6)
  );
}

/** A bushy pot herb. */
function herb(size: number): string {
  const stalks = points('-60,-120 -30,-170 0,-140 34,-180 62,-116 -44,-70 48,-66 4,-210');
  return placed(
    stalks.map(([x, y]) => stroke(`M0 0Q${x * 0.3} ${y * 0.6} ${x} ${y}`, '#5c8f3f', 6)).join('') +
      stalks
        .map(([x, y], index) =>
          [-150, -90, -30]
            .map((turn) => leaf(index % 2 === 0 ? '#6fae4f' : '#86bd5c', [x, y + 10], turn, 0.6))
            .join(''),
        )
        .join(''),
    [0, -16],
    0,
    size,
  );
}

/** Where the four rabbits are. */
export const rabbitScenes = {
  clover: (s: Sheet): string =>
    field(s, '#f9d58f', '#fdeecb') +
    sun(s, [250, 210], 88, '#fdf0bd') +
    cloud([980, 170], 0.8, '#fff8e8') +
    halo(s) +
    hills(s, [520, 470, 520, 490, 450, 510], '#c4cc84') +
    hills(s, [620, 580, 570, 590, 560, 600], '#9fbd72') +
    tree(s, [1070, 600], 1.0, '#7fae66') +
    tree(s, [960, 590], 0.7, '#94b96c') +
    hills(s, [700, 690, 660, 680, 660, 700], '#7fae66') +
    grass(9, 750, '#5f9655', 80) +
    hills(s, [810, 790, 800, 780, 810], '#5f9655') +
    many('70,770,1 200,830,0.8 310,800,0.6 940,810,0.7 1040,760,0.8 1130,840,1.05 110,870,0.7', (at, size) =>
      placed(
        [30, 150, 270]
          .map((turn) =>
            placed(
              fill('M0 0C-30-12-34-48-12-52C-4-53 0-48 0-44C0-48 4-53 12-52C34-48 30-12 0 0Z', '#83bd66') +
                stroke('M0-10L0-32', '#d5ecb4', 3, 0.6),
              [0, 0],
              turn,
            ),
          )
          .join('') + stroke('M0 4Q6 50 0 90', '#4f8548', 6),
        at,
        0,
        size,
      ),
    ) +
    butterfly([196, 470], -18, 0.8, '#f0935f') +
    butterfly([1010, 380], 20, 0.62, '#f3c763'),
  button: (s: Sheet): string =>
    field(s, '#e98f86', '#f8c8a4') +
    oval([600, 470], 400, 400, '#f3ab93', 0.8) +
    sun(s, [960, 200], 80, '#fde2a8') +
    cloud([210, 220], 0.9, '#fbdccb', 0.9) +
    cloud([1060, 400], 0.6, '#fbdccb', 0.8) +
    halo(s, '#ffe9c9', 0.35) +
    hills(s, [640, 600, 640, 640, 590, 640], '#b4bf83') +
    many('70,800,1.1 164,840,0.9 250,800,0.75 960,810,0.8 1050,840,0.95 1140,800,1.1', (at, size, index) =>
      tulip(s, at, size, ['#f6d26b', '#fdf1e0', '#c9485a'][index % 3] ?? '#c9485a', (index % 3) * 5 - 5),
    ) +
    grass(15, 820, '#6a9b5e', 70) +
    hills(s, [860, 846, 850, 840, 862], '#6a9b5e'),
  hazel: (s: Sheet): string =>
    field(s, '#f9d79a', '#f0a868') +
    sun(s, [340, 260], 110, '#fdebb8') +
    halo(s) +
    hills(s, [560, 520, 540, 560, 520, 560], '#dfa562') +
    [
      [60, 70, '#9c5b3f'],
      [210, 40, '#b87850'],
      [920, 44, '#b87850'],
      [1050, 76, '#9c5b3f'],
      [1170, 50, '#8a4f3a'],
    ]
      .map(([x, width, colour]) =>
        form(
          s,
          `M${Number(x) - Number(width) / 2}-20L${Number(x) + Number(width) / 2}-20L${Number(x) + Number(width) * 0.62} 800L${Number(x) - Number(width) * 0.62} 800Z`,
          String(colour),
          { depth: 26 },
        ),
      )
      .join('') +
    stroke('M-20 26Q150 40 340-20', '#8a4f3a', 9) +
    stroke('M1220 60Q1020 10 800-20M1060 22Q1070 90 1100 130', '#8a4f3a', 9) +
    many(
      '10,40,30 120,20,80 220,50,120 90,120,60 320,-10,100 900,10,70 1000,40,110 1110,30,60 1180,90,130 820,-6,60 1060,130,90',
      (at, turn, index) => leaf(['#c9622f', '#e08a35', '#d9a13f'][index % 3] ?? '#e08a35', at, turn, 1.1),
    ) +
    hills(s, [740, 700, 720, 730, 700, 740], '#a9703f') +
    sprig('#7d8a45', [130, 890], -14, 0.8, 4) +
    sprig('#94993f', [220, 910], 16, 0.6, 3) +
    sprig('#7d8a45', [1080, 890], 14, 0.8, 4) +
    sprig('#94993f', [980, 910], -14, 0.6, 3) +
    hills(s, [850, 836, 850, 836, 850], '#8a5534'),
  parsley: (s: Sheet): string =>
    field(s, '#f4c27a', '#fbe4b4') +
    garden(s) +
    halo(s) +
    hills(s, [700, 680, 690, 700, 676, 700], '#9db873') +
    rect(0, 772, 1200, 140, '#b9744c') +
    rect(0, 772, 1200, 20, '#d0905f') +
    pot(s, [120, 640], 1.05, '#c8614a', herb(0.9)) +
    pot(s, [286, 694], 0.66, '#4f8a8b', herb(0.8)) +
    pot(s, [1080, 640], 1.05, '#e8b764', herb(0.95)) +
    pot(s, [920, 696], 0.64, '#c8614a', herb(0.7)) +
    butterfly([250, 300], 16, 0.7, '#e2765c'),
};
