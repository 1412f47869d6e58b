import { leaf, flower } from './accessories.ts';
import { many, points, smooth, type Point } from './geometry.ts';
import { arch, cushion, pot, fence, framed } from './interior.ts';
import { field, sun, hills, cloud, halo } from './landscape.ts';
import { sprig, palm, grass, tree } from './plants.ts';
import { fill, form, oval, placed, rect, soft, stroke, type Sheet } from './sheet.ts';

/** A sheep far away. */
const sheep = (at: Point, size: number): string =>
  placed(
    stroke('M-14 20L-14 40M14 20L14 40', '#4d4148', 7) +
      oval([0, 0], 38, 28, '#fdf6ea') +
      oval([-26, -8], 20, 18, '#fdf6ea') +
      oval([20, -14], 22, 18, '#fdf6ea') +
      oval([40, -4], 15, 12, '#4d4148'),
    at,
    0,
    size,
  );

/** Where the six dogs are. */
export const dogScenes = {
  biscuit: (s: Sheet): string =>
    field(s, '#8fc4bb', '#f8e0ae') +
    sun(s, [946, 190], 84, '#fbd27a') +
    cloud([214, 190], 0.95, '#fff6e4') +
    cloud([1010, 330], 0.6, '#fff6e4', 0.8) +
    halo(s) +
    hills(s, [560, 500, 560, 590, 520, 560], '#b9c77c') +
    tree(s, [120, 620], 1.05, '#7ea663') +
    tree(s, [1096, 610], 0.85, '#91b267') +
    hills(s, [680, 640, 600, 650, 620, 660], '#93b365') +
    fence(640, '#fbeed3') +
    grass(3, 850, '#6f9a52') +
    hills(s, [880, 868, 876, 866, 880], '#6f9a52'),
  juno: (s: Sheet): string =>
    field(s, '#f5b08c', '#fde6be') +
    sun(s, [270, 236], 96, '#fdd58a') +
    cloud([1000, 190], 0.9, '#fdeedd') +
    cloud([120, 400], 0.55, '#fdeedd', 0.8) +
    halo(s) +
    hills(s, [520, 450, 500, 440, 500, 470], '#d9b878') +
    hills(s, [600, 580, 540, 580, 540, 590], '#b3bf70') +
    sheep([150, 560], 0.8) +
    sheep([256, 580], 0.6) +
    sheep([1046, 544], 0.85) +
    sheep([936, 566], 0.55) +
    hills(s, [760, 700, 720, 720, 690, 740], '#8cab5c') +
    grass(5, 790, '#7a9c4f', 60) +
    hills(s, [830, 810, 820, 806, 826], '#7a9c4f') +
    many('90,780,0.5 250,830,0.4 1000,800,0.5 1120,840,0.4 900,850,0.34', (at, size) =>
      flower(s, at, size, '#fff3df', '#eeb03f', 6),
    ),
  waffles: (s: Sheet): string =>
    field(s, '#d97b66', '#c9644f') +
    rect(0, 780, 1200, 120, '#8f4a41') +
    soft(s, 16, fill(arch(600, 760, 60, 790), '#5a2030', 0.35)) +
    s.inside(
      arch(600, 730, 70, 782),
      field(s, '#8ecbc8', '#fbeccb') +
        sun(s, [796, 186], 58, '#fbd27a') +
        cloud([390, 250], 0.7, '#fff8ea') +
        hills(s, [620, 560, 600, 640, 560, 620], '#8fb98a') +
        hills(s, [700, 680, 640, 690, 660, 690], '#6fa37c'),
    ) +
    stroke(arch(600, 748, 61, 782), '#fbe6c6', 22) +
    halo(s) +
    rect(0, 776, 1200, 24, '#f3d3aa') +
    pot(s, [112, 690], 0.9, '#e8b06a', palm('#5f9a72', [0, -60], -4, 0.95)) +
    pot(
      s,
      [1094, 690],
      0.82,
      '#f0dcb8',
      sprig('#6da373', [-20, -10], -12, 0.8) + sprig('#83b27c', [24, -10], 14, 0.66, 3),
    ),
  pepper: (s: Sheet): string =>
    field(s, '#f0be55', '#e39a3f') +
    oval([600, 420], 388, 388, '#f8d88d') +
    oval([600, 420], 320, 320, '#fbe5ae', 0.8) +
    halo(s) +
    palm('#3f8468', [90, 700], 18, 1.7) +
    palm('#58996f', [40, 420], 42, 1.15) +
    palm('#4a8f70', [1120, 690], -18, 1.65) +
    palm('#6aa777', [1180, 400], -44, 1.1) +
    many('250,90,0 960,110,0 1100,180,0 330,180,0 120,150,0 880,60,0', (at) => oval(at, 9, 9, '#fff0c4', 0.8)) +
    sprig('#2f6f5c', [230, 920], -24, 0.85, 3) +
    sprig('#2f6f5c', [980, 920], 22, 0.85, 3),
  olive: (s: Sheet): string =>
    field(s, '#f9dfae', '#f6c98a') +
    sun(s, [900, 230], 92, '#fbe7b4') +
    halo(s) +
    hills(s, [560, 520, 570, 540, 510, 560], '#a9b98c') +
    tree(s, [110, 650], 1.5, '#d9853b') +
    tree(s, [262, 640], 1.0, '#e6a945') +
    tree(s, [1090, 650], 1.6, '#c9623a') +
    tree(s, [944, 636], 0.95, '#e0993f') +
    hills(s, [700, 650, 640, 650, 640, 690], '#6f9a8a') +
    hills(s, [800, 770, 780, 760, 780, 800], '#588577') +
    many(
      '330,120,30 220,250,200 860,90,120 1030,380,60 380,330,300 80,330,80 820,470,160 150,820,10 330,860,200 1000,830,40 1120,790,130 880,870,300',
      (at, turn, index) => leaf(['#c9542f', '#e59a34', '#b8433a'][index % 3] ?? '#c9542f', at, turn, 0.5),
    ),
  bruno: (s: Sheet): string =>
    field(s, '#a9c4ae', '#8fb09c') +
    framed(s, 120, 130, 190, 240, '#f4e2bf', '#f4b58c', '#c9705a') +
    framed(s, 900, 96, 160, 160, '#b9744c', '#fbe3b8', '#7fa58c') +
    framed(s, 1010, 320, 120, 150, '#f4e2bf', '#9fcfd0', '#e0a65a') +
    halo(s) +
    form(s, smooth(points('-60,600 60,540 300,566 600,556 900,566 1140,540 1260,600 1260,980 -60,980')), '#d97a5c', {
      depth: 50,
      inside: stroke('M300 566Q310 740 300 900M900 566Q890 740 900 900', '#7c3a34', 8, 0.35),
    }) +
    cushion(s, [186, 700], -12, 0.95, '#f1c56c', '#fbe7bb') +
    cushion(s, [1030, 700], 14, 0.95, '#4f8a8b', '#bfe0d2'),
};
