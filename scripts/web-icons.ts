import sharp from 'sharp';
import type { Plugin } from 'vite';
import { ICON_COLOURS, LOGO, PAPER } from '../src/api/web/drawings.ts';

const NAME = 'Menagerie';

/** Scale of a logo that fills its icon, and of one that stays complete if the system crops the icon to a circle. */
const FULL = 1;
const MASKABLE = 0.6;

const ICONS = [
  { name: 'icon-192.png', size: 192, purpose: 'any', scale: FULL },
  { name: 'icon-512.png', size: 512, purpose: 'any', scale: FULL },
  { name: 'icon-maskable-512.png', size: 512, purpose: 'maskable', scale: MASKABLE },
] as const;

/** Draws the icons of the application from its logo, and writes the manifest (https://www.w3.org/TR/appmanifest/). */
export function webIcons(): Plugin {
  return {
    name: 'web-icons',
    apply: 'build',
    async generateBundle() {
      const files: [name: string, source: string | Buffer][] = [
        ['favicon.svg', drawIcon(32, FULL)],
        ['favicon.ico', icoOf(await rasterise(32, FULL), 32)],
        ['apple-touch-icon.png', await rasterise(180, MASKABLE)],
        ['manifest.webmanifest', JSON.stringify(MANIFEST)],
      ];
      for (const { name, size, scale } of ICONS) files.push([name, await rasterise(size, scale)]);
      for (const [fileName, source] of files) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

const MANIFEST = {
  // The service replaces the dots by its path.
  id: './',
  name: NAME,
  short_name: NAME,
  start_url: './',
  scope: './',
  // Keeps the buttons of the browser: a page may fail to load and need a reload.
  display: 'minimal-ui',
  theme_color: PAPER.light,
  background_color: PAPER.light,
  icons: [
    { src: './favicon.svg', type: 'image/svg+xml', sizes: 'any', purpose: 'any' },
    ...ICONS.map(({ name, size, purpose }) => ({
      src: `./${name}`,
      type: 'image/png',
      sizes: `${size}x${size}`,
      purpose,
    })),
  ],
};

function rasterise(size: number, scale: number): Promise<Buffer> {
  return sharp(Buffer.from(drawIcon(size, scale)))
    .png()
    .toBuffer();
}

/** @param scale size of the logo; below 1, the icon has a background */
function drawIcon(size: number, scale: number): string {
  const margin = 16 * (1 - scale);
  const toes = LOGO.toes.map(({ cx, cy, rx, ry }) => `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${ry}"/>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 32 32">`,
    ...(scale < FULL ? [`<path fill="${PAPER.light}" d="M0 0h32v32H0z"/>`] : []),
    `<g transform="translate(${margin} ${margin}) scale(${scale})">`,
    `<path fill="${ICON_COLOURS.gate}" d="${LOGO.gate}"/>`,
    `<g fill="${ICON_COLOURS.paw}">${toes.join('')}<path d="${LOGO.ball}"/></g>`,
    '</g></svg>',
  ].join('');
}

/** An icon file that contains one PNG (https://learn.microsoft.com/previous-versions/ms997538(v=msdn.10)). */
function icoOf(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // Type: icon
  header.writeUInt16LE(1, 4); // Number of images
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10); // Planes
  header.writeUInt16LE(32, 12); // Bits per pixel
  header.writeUInt32LE(png.byteLength, 14);
  header.writeUInt32LE(header.byteLength, 18);
  return Buffer.concat([header, png]);
}
