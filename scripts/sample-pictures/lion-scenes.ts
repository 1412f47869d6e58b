import { field, glow, sun, hills, cloud, stars, rays, birds, halo } from './landscape.ts';
import { grass, acacia } from './plants.ts';
import { fill, oval, type Sheet } from './sheet.ts';

/** Where the four lions are. */
export const lionScenes = {
  amber: (s: Sheet): string =>
    field(s, '#dd6a55', '#fbd48c') +
    sun(s, [880, 330], 150, '#fde6a6') +
    halo(s, '#ffe9b8', 0.5) +
    hills(s, [600, 560, 600, 590, 570, 610], '#c96f52') +
    acacia([176, 660], 1.15, '#5a2f35', '#7c4a44') +
    acacia([1080, 640], 0.8, '#5a2f35', '#8a5348') +
    hills(s, [700, 660, 690, 680, 650, 690], '#b3583f') +
    birds([190, 170], 0.8, '#7c3a3a') +
    grass(31, 780, '#8a4336', 90, 90) +
    hills(s, [830, 816, 830, 810, 830], '#8a4336'),
  kito: (s: Sheet): string =>
    field(s, '#f0a04a', '#f9cf7c') +
    rays([600, 430], 16, '#fbe0a0', 0.3) +
    oval([600, 420], 470, 470, '#f9d581', 0.75) +
    oval([600, 420], 420, 420, '#fcebb8') +
    hills(s, [700, 640, 560, 700, 720, 640, 540, 700], '#dd8a52') +
    hills(s, [760, 720, 730, 760, 720, 760], '#c26a45') +
    acacia([90, 790], 0.8, '#5f2f2c', '#8a4a38') +
    acacia([1120, 790], 0.95, '#5f2f2c', '#8a4a38') +
    grass(33, 850, '#94452f', 80, 90) +
    hills(s, [880, 870, 880, 870, 880], '#94452f'),
  sefu: (s: Sheet): string =>
    field(s, '#7dbcb0', '#f4e3b4') +
    sun(s, [230, 220], 86, '#fbdc8c') +
    cloud([1010, 170], 0.8, '#fff5e0') +
    cloud([800, 90], 0.4, '#fff5e0', 0.8) +
    halo(s) +
    fill(
      'M760 620L800 420Q806 400 830 400L1000 396Q1024 396 1030 414L1060 500L1130 506Q1150 508 1156 530L1190 640L760 660Z',
      '#c9805a',
    ) +
    fill('M930 397L1000 396Q1024 396 1030 414L1060 500L1130 506Q1150 508 1156 530L1190 640L960 650Z', '#a9634b', 0.6) +
    fill('M-40 640L20 500Q26 486 44 486L150 480Q170 480 176 500L220 640Z', '#c9805a') +
    hills(s, [640, 600, 630, 640, 600, 640], '#dcb260') +
    acacia([300, 650], 0.6, '#6b4433', '#7f9a5a') +
    hills(s, [720, 700, 710, 720, 690, 720], '#cf9d4b') +
    grass(35, 760, '#bb8538', 110, 100) +
    hills(s, [830, 810, 830, 810, 830], '#bb8538'),
  zuri: (s: Sheet): string =>
    field(s, '#4a4a86', '#f0a58c') +
    stars(41, 44, '#fdf0cf', 480) +
    sun(s, [960, 200], 78, '#fbe9bd') +
    glow(s, [600, 430], 560, '#f4b9a0', 0.55) +
    hills(s, [640, 590, 620, 640, 600, 640], '#b0698a') +
    acacia([150, 690], 1.0, '#4d2c50', '#6b3f6a') +
    acacia([1090, 670], 0.75, '#4d2c50', '#774873') +
    hills(s, [730, 700, 720, 720, 690, 730], '#8c4f78') +
    grass(43, 800, '#6a3a66', 90, 90) +
    hills(s, [850, 830, 850, 830, 850], '#6a3a66'),
};
