import { bone, collar, heart, tag } from './accessories.ts';
import { darker, mix } from './colour.ts';
import { BROWN_EYE, SIDES } from './dog-parts.ts';
import { dogNose, eyes } from './features.ts';
import { tufted } from './fur.ts';
import { moved, onSide, points, smooth, symmetric, type Side } from './geometry.ts';
import { bib, lips, posed, sockets, underHead, type Pose } from './portrait.ts';
import { fill, form, fur, oval, placed, soft, type Sheet } from './sheet.ts';

/** Biscuit, a scruffy light-brown terrier. */
export function biscuit(sheet: Sheet): string {
  const [coat, pale, dark] = ['#cf9c62', '#eed09d', '#9a683a'];
  const pose: Pose = { at: [0, 418], tilt: -6, turn: -10 };
  const body = tufted(symmetric(points('0,520 120,530 150,620 205,690 300,770 350,900 360,980 0,980')), {
    size: 34,
    step: 38,
    seed: 3,
    fall: [0, 0.7],
  });
  const chest =
    form(sheet, body, coat, {
      depth: 70,
      inside:
        fill(bib(560, 130, 890), pale, 0.9) +
        fur({ centre: [0, 760], radius: [300, 150], count: 46, length: 44, source: [0, 420], seed: 4 }, dark),
    }) +
    underHead(sheet, body, [6, 640], 190, 80) +
    collar(sheet, body, 664, '#2f8a80') +
    tag(sheet, [4, 700], '#f3c34f', bone('#a86b1d'));
  const ear = (side: Side): string => {
    const back = onSide(side, points('62,-128 84,-196 128,-240 170,-226 184,-160 176,-84 120,-90'));
    const flap = onSide(side, points('92,-222 132,-246 176,-232 212,-176 222,-104 198,-106 150,-160'));
    return (
      form(sheet, tufted(back, { size: 14, step: 26, seed: 5 + side }), mix(coat, dark, 0.35)) +
      form(sheet, tufted(flap, { size: 22, step: 22, seed: 8 + side, fall: [0, 0.9] }), dark, { depth: 24 })
    );
  };
  const head = tufted(symmetric(points('0,-176 72,-162 134,-112 160,-14 172,62 146,140 80,200 0,214')), {
    size: 36,
    step: 30,
    seed: 12,
    where: ([, y]) => (y < -60 ? 0.6 : 1),
  });
  const beard = tufted(moved(symmetric(points('0,2 60,18 98,70 108,130 84,192 36,226 0,232')), pose.turn, 0), {
    size: 34,
    step: 26,
    seed: 21,
    fall: [0, 0.7],
    where: ([, y]) => (y < 30 ? 0.4 : 1),
  });
  const brow = (side: Side): string =>
    form(
      sheet,
      tufted(moved(onSide(side, points('30,-66 58,-96 102,-94 118,-72 76,-72')), -6, -2), {
        size: 26,
        step: 17,
        seed: 33 + side,
        fall: [side * 0.7, 0.35],
      }),
      pale,
      { depth: 10 },
    );
  const crown = tufted(points('-64,-140 -30,-172 20,-176 66,-148 48,-112 -40,-106'), {
    size: 46,
    step: 26,
    seed: 44,
    fall: [0.55, -0.1],
    where: ([, y]) => (y < -140 ? 1 : 0.4),
  });
  const face =
    form(sheet, head, coat, {
      inside:
        soft(sheet, 16, oval([0, -20], 46, 120, pale, 0.5)) +
        sockets(sheet, 72, -28, dark, pose.turn) +
        fur({ centre: [0, 30], radius: [165, 150], count: 40, length: 34, source: [0, 20], seed: 2 }, dark, 0.4),
    }) +
    form(sheet, crown, mix(coat, pale, 0.35), { depth: 16 }) +
    soft(sheet, 10, fill(beard, darker(coat, 0.5), 0.4)) +
    form(sheet, beard, pale, {
      inside: fur(
        { centre: [pose.turn, 140], radius: [100, 90], count: 30, length: 36, source: [pose.turn, 30], seed: 6 },
        dark,
      ),
    }) +
    eyes(sheet, 70, -26, BROWN_EYE, pose.turn) +
    SIDES.map(brow).join('') +
    placed(lips(96, 22, 56, '#4a2a20') + dogNose(sheet, [0, 66], '#3a2629', 0.95), [pose.turn, 0]);
  return chest + posed(SIDES.map(ear).join('') + face, pose);
}

/** Pepper, a grey schnauzer with a beard. */
export function pepper(sheet: Sheet): string {
  const [coat, pale, dark] = ['#747985', '#dcdcdf', '#43454f'];
  const pose: Pose = { at: [0, 400], tilt: 5, turn: -6, scale: 1.16 };
  const body = tufted(symmetric(points('0,520 118,530 140,620 215,690 300,770 335,900 340,980 0,980')), {
    size: 20,
    step: 36,
    seed: 43,
    fall: [0, 0.7],
  });
  const chest =
    form(sheet, body, coat, {
      depth: 70,
      inside:
        fill(bib(600, 150, 900, 40, 47), pale, 0.55) +
        fur({ centre: [0, 770], radius: [300, 130], count: 50, length: 36, source: [0, 420], seed: 24 }, dark),
    }) +
    underHead(sheet, body, [0, 640], 180, 84) +
    collar(sheet, body, 690, '#c4543f') +
    tag(sheet, [2, 712], '#f3c34f', heart('#b0472f'));
  const ear = (side: Side): string => {
    const back = onSide(side, points('56,-140 76,-204 116,-238 152,-214 164,-150 150,-90 110,-96'));
    const flap = onSide(side, points('74,-212 112,-240 154,-220 190,-166 200,-92 176,-88 124,-150'));
    return (
      form(sheet, smooth(back), mix(coat, dark, 0.4)) +
      form(sheet, tufted(flap, { size: 9, step: 20, seed: 48 + side, fall: [0, 0.9] }), dark, {
        depth: 24,
        light: '#9ba0ae',
      })
    );
  };
  const head = tufted(symmetric(points('0,-172 84,-168 132,-128 146,-30 150,60 130,140 76,190 0,200')), {
    size: 18,
    step: 26,
    seed: 49,
    where: ([, y]) => (y > 20 ? 1 : 0.5),
  });
  const beard = tufted(
    moved(symmetric(points('0,10 64,24 112,76 128,140 120,190 84,226 34,238 0,234')), pose.turn, 0),
    { size: 36, step: 25, seed: 53, fall: [0, 1], where: ([, y]) => (y < 40 ? 0.3 : y < 110 ? 0.7 : 1) },
  );
  const parted = fur(
    { centre: [pose.turn, 170], radius: [116, 90], count: 40, length: 54, source: [pose.turn, 20], seed: 16, width: 4 },
    '#8a8b95',
    0.55,
  );
  const brow = (side: Side): string =>
    form(
      sheet,
      tufted(moved(onSide(side, points('16,-78 46,-104 96,-110 120,-94 78,-80 40,-68')), -3, -2), {
        size: 27,
        step: 16,
        seed: 57 + side,
        fall: [side * 0.95, 0.3],
      }),
      pale,
      { depth: 12, shade: '#6d6f7c' },
    );
  const face =
    form(sheet, head, coat, {
      inside:
        sockets(sheet, 70, -26, dark, pose.turn, 0.7) +
        soft(sheet, 14, oval([-2, -60], 22, 90, pale, 0.35)) +
        fur({ centre: [0, -10], radius: [145, 150], count: 40, length: 28, source: [0, 30], seed: 26 }, dark, 0.5),
    }) +
    soft(sheet, 10, fill(beard, '#22222b', 0.45)) +
    form(sheet, beard, pale, { shade: '#6d6f7c', inside: parted }) +
    eyes(sheet, 68, -26, { ...BROWN_EYE, iris: '#5a3a24', radius: [27, 27] }, pose.turn) +
    SIDES.map(brow).join('') +
    placed(lips(98, 20, 60, '#34303a') + dogNose(sheet, [0, 68], '#2b262e'), [pose.turn, 0]);
  return chest + posed(SIDES.map(ear).join('') + face, pose);
}
