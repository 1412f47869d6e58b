import { bandana, collar, heart, tag } from './accessories.ts';
import { darker, lighter, mix } from './colour.ts';
import { BROWN_EYE, SIDES, legs } from './dog-parts.ts';
import { dogNose, eyes } from './features.ts';
import { moved, onSide, points, smooth, symmetric, type Side } from './geometry.ts';
import { dots, lips, posed, sockets, underHead, type Pose } from './portrait.ts';
import { fill, form, fur, oval, placed, soft, stroke, type Sheet } from './sheet.ts';

/** Olive, a chestnut dachshund with long ears. */
export function olive(sheet: Sheet): string {
  const [coat, pale, dark] = ['#a4552d', '#d08a52', '#6b2f1b'];
  const pose: Pose = { at: [-6, 376], tilt: 9, turn: 14, scale: 1.16 };
  const body = smooth(symmetric(points('0,430 96,450 112,590 150,680 232,760 276,880 280,980 0,980')));
  const chest =
    form(sheet, body, coat, {
      depth: 64,
      inside:
        soft(sheet, 26, oval([-10, 780], 90, 130, pale, 0.6)) +
        legs(sheet, dark) +
        fur({ centre: [0, 790], radius: [200, 110], count: 26, length: 24, source: [0, 420], seed: 34 }, dark),
    }) +
    underHead(sheet, body, [-8, 596], 130, 90) +
    collar(sheet, body, 668, '#e7b53c', { dip: 44, width: 30 }) +
    tag(sheet, [0, 688], '#5f9c8c', heart('#fff1d0'));
  const ear = (side: Side): string => {
    const outline = onSide(
      side,
      points('86,-114 138,-124 186,-80 220,14 242,114 232,190 190,216 150,190 132,110 122,20 112,-56'),
    );
    const crease = stroke(
      side === 1 ? 'M124-92Q166 20 192 150' : 'M-124-92Q-166 20-192 150',
      darker(coat, 0.5),
      9,
      0.35,
    );
    return (
      soft(sheet, 12, placed(fill(smooth(outline), '#3a1610', 0.5), [4, 8])) +
      form(sheet, smooth(outline), mix(coat, dark, 0.5), { depth: 44, inside: soft(sheet, 6, crease) })
    );
  };
  const head = smooth(symmetric(points('0,-162 68,-148 118,-98 134,-20 122,60 96,130 58,190 0,206')));
  const muzzle = smooth(moved(symmetric(points('0,-30 40,-6 64,60 76,124 62,172 28,178 0,168')), pose.turn, 0));
  const jaw = smooth(moved(symmetric(points('0,150 42,160 44,188 26,206 0,210')), pose.turn, 0));
  const face =
    form(sheet, head, coat, {
      inside:
        soft(sheet, 16, oval([6, -50], 36, 100, pale, 0.7)) +
        sockets(sheet, 62, -28, dark, pose.turn, 0.5) +
        fur({ centre: [0, -60], radius: [110, 90], count: 22, length: 22, source: [0, 40], seed: 36 }, dark),
    }) +
    form(sheet, jaw, dark, { depth: 16 }) +
    soft(sheet, 10, fill(muzzle, dark, 0.5)) +
    form(sheet, muzzle, mix(coat, pale, 0.45), {
      inside: soft(sheet, 12, oval([pose.turn, 20], 26, 60, '#e0a56c', 0.6)) + dots(30, 136, '#542414'),
    }) +
    eyes(sheet, 66, -28, { ...BROWN_EYE, iris: '#4a2817', radius: [29, 28] }, pose.turn) +
    soft(
      sheet,
      4,
      fill(smooth(onSide(-1, points('34,-76 58,-92 82,-78 58,-74'))), pale, 0.9) +
        fill(smooth(points('52,-76 76,-92 98,-78 74,-74')), pale, 0.9),
    ) +
    placed(lips(134, 26, 54, '#4a1c14') + dogNose(sheet, [0, 106], '#2e1d21', 0.86), [pose.turn, 0]);
  return chest + posed(face + SIDES.map(ear).join(''), pose);
}

/** Bruno, dark brown with big floppy ears. */
export function bruno(sheet: Sheet): string {
  const [coat, pale, dark] = ['#674331', '#9c6a48', '#3c2319'];
  const pose: Pose = { at: [0, 404], tilt: -8, turn: -8, scale: 1.14 };
  const body = smooth(symmetric(points('0,480 140,520 170,620 250,700 325,780 360,900 364,980 0,980')));
  const chest =
    form(sheet, body, coat, {
      depth: 74,
      light: pale,
      inside:
        legs(sheet, dark) +
        fur({ centre: [0, 820], radius: [300, 80], count: 20, length: 26, source: [0, 420], seed: 54 }, dark),
    }) +
    underHead(sheet, body, [4, 640], 190, 80) +
    bandana(sheet, body, 664, '#e2a33a', '#fbe9c0');
  const ear = (side: Side): string => {
    const outline = onSide(
      side,
      points('92,-158 160,-164 230,-110 274,0 282,100 250,168 200,160 166,90 146,0 112,-90'),
    );
    const crease = stroke(side === 1 ? 'M150-130Q220-20 222 110' : 'M-150-130Q-220-20-222 110', '#1f100c', 12, 0.4);
    return (
      soft(sheet, 12, placed(fill(smooth(outline), '#1f100c', 0.5), [4, 10])) +
      form(sheet, smooth(outline), mix(coat, dark, 0.6), { depth: 50, light: pale, inside: soft(sheet, 7, crease) })
    );
  };
  const head = smooth(symmetric(points('0,-190 82,-174 146,-114 168,-6 168,90 134,166 70,212 0,220')));
  const muzzle = smooth(moved(symmetric(points('0,-6 60,12 108,76 124,140 92,184 40,182 0,160')), pose.turn, 0));
  const jaw = smooth(moved(symmetric(points('0,140 70,150 72,190 44,218 0,224')), pose.turn, 0));
  const face =
    form(sheet, head, coat, {
      light: pale,
      inside:
        soft(sheet, 18, oval([-4, -60], 46, 100, pale, 0.5)) +
        sockets(sheet, 76, -28, dark, pose.turn, 0.6) +
        stroke('M-24-124Q-4-112 20-122M-34-142Q-4-128 30-140', dark, 6, 0.35) +
        fur({ centre: [0, -20], radius: [150, 130], count: 24, length: 24, source: [0, 40], seed: 56 }, dark, 0.5),
    }) +
    form(sheet, jaw, dark, { depth: 18 }) +
    soft(sheet, 10, fill(muzzle, '#22110c', 0.5)) +
    form(sheet, muzzle, mix(coat, pale, 0.6), { depth: 36, light: '#d0a078', inside: dots(48, 126, '#2a150e') }) +
    eyes(
      sheet,
      76,
      -28,
      { ...BROWN_EYE, iris: '#8a5427', radius: [29, 28], slant: -3, lid: 0.22, lidColour: darker(coat, 0.25) },
      pose.turn,
    ) +
    soft(
      sheet,
      4,
      fill(smooth(onSide(-1, points('54,-80 82,-98 112,-76 84,-78'))), lighter(pale, 0.15), 0.8) +
        fill(smooth(points('46,-80 74,-98 104,-76 76,-78')), lighter(pale, 0.15), 0.8),
    ) +
    placed(lips(108, 48, 78, '#2a120e', 7) + dogNose(sheet, [0, 76], '#2a1a1d', 1.14), [pose.turn, 0]);
  return chest + posed(face + SIDES.map(ear).join(''), pose);
}
