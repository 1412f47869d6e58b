import { collar, paw, star, tag } from './accessories.ts';
import { mix } from './colour.ts';
import { BROWN_EYE, SIDES, laugh } from './dog-parts.ts';
import { dogNose, eyes } from './features.ts';
import { tufted } from './fur.ts';
import { moved, onSide, points, smooth, symmetric, type Side } from './geometry.ts';
import { bib, dots, lips, posed, sockets, underHead, type Pose } from './portrait.ts';
import { fill, form, fur, oval, placed, soft, stroke, type Sheet } from './sheet.ts';

/** Juno, a black-and-white border collie with one ear up. */
export function juno(sheet: Sheet): string {
  const [coat, white, glow] = ['#35323f', '#faf4e9', '#77738c'];
  const pose: Pose = { at: [0, 420], tilt: 7, turn: 8 };
  const body = tufted(symmetric(points('0,520 130,540 165,620 230,700 310,790 350,900 360,980 0,980')), {
    size: 36,
    step: 44,
    seed: 13,
    fall: [0, 0.7],
  });
  const ruff = tufted(symmetric(points('0,540 150,560 182,640 160,740 96,840 0,900')), {
    size: 52,
    step: 44,
    seed: 17,
    fall: [0, 0.8],
  });
  const chest =
    form(sheet, body, coat, { depth: 70, light: glow }) +
    sheet.inside(body, soft(sheet, 12, fill(ruff, '#17131c', 0.5))) +
    form(sheet, ruff, white, {
      depth: 60,
      shade: '#8d7f93',
      inside: fur(
        { centre: [0, 740], radius: [150, 130], count: 30, length: 60, source: [0, 480], seed: 5, width: 4 },
        '#b9a9ac',
        0.6,
      ),
    }) +
    underHead(sheet, ruff, [-4, 640], 170, 70, 0.35) +
    collar(sheet, body, 672, '#c8413b', { width: 30 }) +
    tag(sheet, [-10, 690], '#f3c34f', star('#a86b1d'));
  const pricked = onSide(-1, points('48,-134 84,-206 140,-270 166,-262 184,-190 186,-92 120,-80'));
  const inner = onSide(-1, points('92,-130 110,-190 146,-240 160,-196 160,-110 130,-96'));
  const folded = points('50,-136 78,-204 122,-238 166,-226 186,-160 186,-88 120,-80');
  const flap = points('92,-224 124,-243 170,-236 216,-188 236,-122 206,-128 150,-160');
  const ears =
    form(sheet, tufted(pricked, { size: 14, step: 28, seed: 3 }), coat, { light: glow }) +
    form(sheet, smooth(inner), '#8a6468', {
      depth: 18,
      inside: fur(
        { centre: [-130, -140], radius: [36, 60], count: 14, length: 60, source: [-120, -40], width: 5 },
        coat,
        0.9,
      ),
    }) +
    form(sheet, tufted(folded, { size: 14, step: 28, seed: 4 }), mix(coat, '#17131c', 0.4), { light: glow }) +
    form(sheet, tufted(flap, { size: 16, step: 26, seed: 6 }), coat, { depth: 24, light: glow });
  const head = tufted(symmetric(points('0,-172 70,-160 132,-110 160,-10 164,70 124,148 60,196 0,204')), {
    size: 34,
    step: 32,
    seed: 15,
    where: ([x, y]) => (Math.abs(x) < 75 && y > 0 ? 0 : y > 20 ? 1.1 : y < -90 ? 0.25 : 0.4),
  });
  const blaze = tufted(
    moved(symmetric(points('0,-175 20,-150 17,-80 26,-20 64,16 104,70 112,150 60,230 0,240')), 2, 0),
    { size: 9, step: 18, seed: 19 },
  );
  const muzzle = smooth(moved(symmetric(points('0,10 54,22 94,76 96,128 62,166 24,164 0,152')), pose.turn, 0));
  const jaw = smooth(moved(symmetric(points('0,130 56,142 60,178 34,202 0,206')), pose.turn * 0.8, 0));
  const face =
    form(sheet, head, coat, {
      light: glow,
      inside:
        fill(blaze, white) +
        fur({ centre: [0, 20], radius: [150, 150], count: 34, length: 32, source: [0, 0], seed: 8 }, glow, 0.35),
    }) +
    form(sheet, jaw, '#eadfd2', { depth: 22, shade: '#8d7f93' }) +
    soft(sheet, 8, fill(muzzle, '#5d4c58', 0.3)) +
    form(sheet, muzzle, white, { shade: '#8d7f93', depth: 30, inside: dots(40, 116, '#4a3a40') }) +
    eyes(sheet, 74, -28, { ...BROWN_EYE, iris: '#a4652a', rim: '#0f0b10' }, pose.turn) +
    soft(
      sheet,
      4,
      fill(smooth(onSide(-1, points('50,-82 78,-94 100,-80 78,-76'))), glow, 0.7) +
        fill(smooth(points('58,-82 86,-94 108,-80 86,-76')), glow, 0.7),
    ) +
    placed(lips(100, 30, 66, '#3b262d') + dogNose(sheet, [0, 70], '#2c2228'), [pose.turn, 0]);
  return chest + posed(ears + face, pose);
}

/** Waffles, a golden retriever. */
export function waffles(sheet: Sheet): string {
  const [coat, pale, dark] = ['#dca455', '#f5dba6', '#a8692c'];
  const pose: Pose = { at: [0, 408], tilt: -4, turn: 6, scale: 1.15 };
  const body = tufted(symmetric(points('0,500 140,530 178,620 250,700 320,790 355,900 360,980 0,980')), {
    size: 32,
    step: 44,
    seed: 23,
    fall: [0, 0.7],
  });
  const chest =
    form(sheet, body, coat, {
      depth: 70,
      inside:
        fill(bib(600, 170, 920, 54, 27), pale, 0.85) +
        fur(
          { centre: [0, 770], radius: [280, 140], count: 44, length: 60, source: [0, 420], seed: 14, width: 4 },
          dark,
          0.3,
        ),
    }) +
    underHead(sheet, body, [4, 648], 190, 80) +
    collar(sheet, body, 690, '#3c6fa8', { dip: 58 }) +
    tag(sheet, [2, 704], '#f0d9b0', paw('#b3742d'));
  const ear = (side: Side): string => {
    const outline = onSide(side, points('106,-138 162,-136 216,-84 244,10 242,96 210,142 178,108 158,30 134,-60'));
    return (
      soft(sheet, 10, fill(smooth(outline), dark, 0.5)) +
      form(
        sheet,
        tufted(outline, { size: 24, step: 30, seed: 25 + side, fall: [0, 0.9], where: ([, y]) => (y < -60 ? 0 : 1) }),
        mix(coat, dark, 0.35),
        {
          depth: 44,
          inside: fur(
            {
              centre: [side * 190, 10],
              radius: [44, 100],
              count: 16,
              length: 52,
              source: [side * 130, -190],
              width: 4,
            },
            dark,
            0.45,
          ),
        },
      )
    );
  };
  const head = tufted(symmetric(points('0,-182 76,-168 140,-116 168,-10 164,80 128,156 64,204 0,212')), {
    size: 22,
    step: 34,
    seed: 29,
    where: ([, y]) => (y > 60 ? 1 : 0),
  });
  const jaw = smooth(moved(symmetric(points('0,120 70,128 76,176 48,218 0,228')), pose.turn, 0));
  const muzzle = smooth(moved(symmetric(points('0,-2 58,16 102,74 106,122 78,150 34,148 0,128')), pose.turn, 0));
  const face =
    form(sheet, head, coat, {
      inside:
        soft(sheet, 18, oval([pose.turn * 0.4, -50], 50, 110, pale, 0.6)) +
        sockets(sheet, 76, -30, dark, pose.turn, 0.45) +
        soft(sheet, 16, oval([-120, 90], 60, 40, pale, 0.6)) +
        fur({ centre: [0, 0], radius: [150, 150], count: 30, length: 30, source: [0, 20], seed: 18 }, dark),
    }) +
    form(sheet, jaw, mix(pale, coat, 0.25), { depth: 20 }) +
    placed(laugh(sheet, 134), [pose.turn, 0]) +
    soft(sheet, 9, fill(muzzle, dark, 0.45)) +
    form(sheet, muzzle, pale, { depth: 32, inside: dots(46, 108, '#7a4a22') }) +
    eyes(sheet, 72, -34, { ...BROWN_EYE, iris: '#55301a', radius: [28, 28] }, pose.turn) +
    soft(
      sheet,
      4,
      fill(smooth(onSide(-1, points('50,-84 78,-98 104,-82 78,-80'))), pale, 0.8) +
        fill(smooth(points('58,-84 86,-98 112,-82 86,-80')), pale, 0.8),
    ) +
    placed(
      stroke('M0 100L0 128', '#4a2a20', 6) +
        stroke('M-106 122Q-84 156-40 150Q-14 146 0 128Q14 146 40 150Q84 156 106 122', '#7a4526', 5) +
        dogNose(sheet, [0, 66], '#33222a', 1.05),
      [pose.turn, 0],
    );
  return chest + posed(face + SIDES.map(ear).join(''), pose);
}
