/*
 * The tones of the accent colour of a site. A shelter chooses one colour, but pages have a light and a dark theme, and
 * text must have a contrast of at least 4.5 (WCAG 2.2, 1.4.3) on all of their backgrounds. So each theme gets the
 * nearest tone that is readable: the colour itself if it is, otherwise mixed with black in the light theme, and with
 * white in the dark theme. The background of soft elements is the tone mixed with the surface of the theme.
 */

export interface AccentTones {
  accent: string;
  accentHover: string;
  /** The colour of text on the accent. */
  onAccent: string;
  accentSoft: string;
}

export type Theme = 'light' | 'dark';

type Rgb = readonly [red: number, green: number, blue: number];

const MIN_CONTRAST = 4.5;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The text on accents that are too light for white text, as in `src/web/design/tokens.css`. */
const NEAR_BLACK: Rgb = [13, 26, 19];

/** `surfaces` are the backgrounds with the least contrast (`src/web/design/tokens.css`). */
const THEMES: Readonly<Record<Theme, { surface: Rgb; surfaces: readonly Rgb[]; towards: Rgb; softShare: number }>> = {
  light: {
    surface: [255, 253, 249],
    surfaces: [[242, 235, 222]],
    towards: BLACK,
    softShare: 0.12,
  },
  dark: {
    surface: [26, 34, 30],
    surfaces: [[34, 44, 39]],
    towards: WHITE,
    softShare: 0.18,
  },
};

const STEPS = 100;
const HOVER_SHARE = 0.2;

/** White or near-black, whichever has the higher contrast on a colour; undefined if neither reaches 4.5. */
export function textOn(colour: string): string | undefined {
  const rgb = parse(colour);
  const best = contrast(rgb, WHITE) >= contrast(rgb, NEAR_BLACK) ? WHITE : NEAR_BLACK;
  return contrast(rgb, best) >= MIN_CONTRAST ? hex(best) : undefined;
}

/** @param colour `#rrggbb` */
export function accentTones(colour: string, theme: Theme): AccentTones {
  const { surface, surfaces, towards, softShare } = THEMES[theme];
  const chosen = parse(colour);
  for (let step = 0; ; step++) {
    const tone = mix(chosen, towards, step / STEPS);
    const soft = mix(surface, tone, softShare);
    const isReadable = [...surfaces, soft].every((background) => contrast(tone, background) >= MIN_CONTRAST);
    const onAccent = textOn(hex(tone));
    if ((!isReadable || onAccent === undefined) && step < STEPS) continue;
    return {
      accent: hex(tone),
      accentHover: hex(mix(tone, towards, HOVER_SHARE)),
      onAccent: onAccent ?? hex(WHITE),
      accentSoft: hex(soft),
    };
  }
}

/** The contrast of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrastOf(one: string, other: string): number {
  return contrast(parse(one), parse(other));
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const channel = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [channel(0), channel(1), channel(2)];
}

function parse(colour: string): Rgb {
  const channel = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

function hex(rgb: Rgb): string {
  return `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
