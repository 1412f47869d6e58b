import { darker, lighter } from './colour.ts';
import { hairs, type Hairs } from './fur.ts';
import { round, type Point } from './geometry.ts';

export const WIDTH = 1200;
export const HEIGHT = 900;

/** A gradient stop: where (0 to 1), colour, opacity. */
export type Stop = readonly [number, string, number?];

/** The definitions of one picture. Every picture has its own, so that the identifiers never collide. */
export class Sheet {
  readonly #definitions = new Map<string, string>();
  readonly #markup: string[] = [];

  /** Equal definitions are shared: a picture uses the same few blurs again and again. */
  #define(make: (id: string) => string): string {
    const key = make('');
    const known = this.#definitions.get(key);
    if (known !== undefined) return `url(#${known})`;
    const id = `d${this.#definitions.size}`;
    this.#definitions.set(key, id);
    this.#markup.push(make(id));
    return `url(#${id})`;
  }

  /** A gradient along a line given in parts of the painted shape's box; top to bottom by default. */
  linear(stops: readonly Stop[], [x1, y1, x2, y2]: readonly [number, number, number, number] = [0, 0, 0, 1]): string {
    return this.#define(
      (id) => `<linearGradient id="${id}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}">${list(stops)}</linearGradient>`,
    );
  }

  /** The plainest gradient: one colour at the top, another at the bottom. */
  fade(top: string, bottom: string): string {
    return this.linear([
      [0, top],
      [1, bottom],
    ]);
  }

  /** A gradient around a point given in parts of the painted shape's box. */
  radial(stops: readonly Stop[], [cx, cy, r]: readonly [number, number, number] = [0.5, 0.5, 0.5]): string {
    return this.#define(
      (id) => `<radialGradient id="${id}" cx="${cx}" cy="${cy}" r="${r}">${list(stops)}</radialGradient>`,
    );
  }

  /** Softens what it is applied to. */
  blur(amount: number): string {
    return this.#define(
      (id) =>
        `<filter id="${id}" x="-60%" y="-60%" width="220%" height="220%">` +
        `<feGaussianBlur stdDeviation="${amount}"/></filter>`,
    );
  }

  /** Shows the content only inside the outline. */
  inside(outline: string, content: string): string {
    const clip = this.#define((id) => `<clipPath id="${id}"><path d="${outline}"/></clipPath>`);
    return `<g clip-path="${clip}">${content}</g>`;
  }

  /** The finished picture. */
  document(content: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">` +
      `<defs>${this.#markup.join('')}</defs>${content}</svg>`
    );
  }
}

const list = (stops: readonly Stop[]): string =>
  stops
    .map(
      ([offset, colour, opacity = 1]) => `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`,
    )
    .join('');

/** A filled outline. */
export const fill = (outline: string, paint: string, opacity = 1): string =>
  `<path d="${outline}" fill="${paint}"${opacity === 1 ? '' : ` opacity="${opacity}"`}/>`;

/** A drawn line with round ends. */
export const stroke = (outline: string, paint: string, width: number, opacity = 1): string =>
  `<path d="${outline}" fill="none" stroke="${paint}" stroke-width="${width}" stroke-linecap="round" ` +
  `stroke-linejoin="round"${opacity === 1 ? '' : ` opacity="${opacity}"`}/>`;

/** A filled ellipse. */
export const oval = ([x, y]: Point, rx: number, ry: number, paint: string, opacity = 1): string =>
  `<ellipse cx="${round(x)}" cy="${round(y)}" rx="${round(rx)}" ry="${round(ry)}" fill="${paint}"` +
  `${opacity === 1 ? '' : ` opacity="${opacity}"`}/>`;

/** A filled rectangle. */
export const rect = (
  x: number,
  y: number,
  width: number,
  height: number,
  paint: string,
  radius = 0,
  opacity = 1,
): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${paint}" opacity="${opacity}"/>`;

/** Content moved, turned (degrees) and scaled. */
export function placed(content: string, [x, y]: Point, turn = 0, scale: number | Point = 1): string {
  const [sx, sy] = typeof scale === 'number' ? [scale, scale] : scale;
  return `<g transform="translate(${round(x)} ${round(y)}) rotate(${turn}) scale(${sx} ${sy})">${content}</g>`;
}

/** Content with softened edges. */
export const soft = (sheet: Sheet, amount: number, content: string): string =>
  `<g filter="${sheet.blur(amount)}">${content}</g>`;

/** Single hairs in one colour. */
export const fur = (patch: Hairs, colour: string, opacity = 0.35): string => fill(hairs(patch), colour, opacity);

/** How strongly a shape is modelled. */
export interface Modelling {
  /** Width of the shaded edge. */
  readonly depth?: number;
  readonly shade?: string;
  readonly light?: string;
  readonly shadeOpacity?: number;
  readonly lightOpacity?: number;
  /** Markings and shadows that stay inside the shape, under the modelling. */
  readonly inside?: string;
}

/** A shape with volume: light falls from the upper left, in every picture, so the lower right edge is in shade. */
export function form(sheet: Sheet, outline: string, colour: string, modelling: Modelling = {}): string {
  const { depth = 34, shade = darker(colour, 0.45), light = lighter(colour, 0.5), inside = '' } = modelling;
  const { shadeOpacity = 0.55, lightOpacity = 0.4 } = modelling;
  const base = sheet.linear(
    [
      [0, lighter(colour, 0.12)],
      [0.5, colour],
      [1, darker(colour, 0.1)],
    ],
    [0.2, 0, 0.75, 1],
  );
  const edge = (paint: string, opacity: number, shift: number, width: number, blur: number): string =>
    `<path d="${outline}" fill="none" stroke="${paint}" stroke-width="${round(width)}" opacity="${opacity}" ` +
    `transform="translate(${round(shift * 0.8)} ${round(shift)})" filter="${sheet.blur(Math.max(2, Math.round(blur)))}"/>`;
  return (
    fill(outline, base) +
    sheet.inside(
      outline,
      inside +
        edge(shade, shadeOpacity, -depth * 0.55, depth * 1.2, depth * 0.32) +
        edge(light, lightOpacity, depth * 0.34, depth * 0.5, depth * 0.2),
    )
  );
}
