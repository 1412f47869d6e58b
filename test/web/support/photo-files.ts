import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

/*
 * Photo files for uploads: generated ones of some megabytes, and the sample photos.
 */

const SAMPLES = join(import.meta.dirname, '../../../assets/sample-photos');

export type PhotoFormat = 'jpeg' | 'png' | 'webp';

/** A file for a file input or a drop. */
export interface PhotoFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

export interface PhotoOptions {
  format?: PhotoFormat;
  /**
   * In pixels; the height is three quarters of it. 2,400 gives 1.5 MB of JPEG, 3,600 more than 3 MB; 3,000 gives 2 MB
   * of WebP, 1,800 gives 1.3 MB of PNG.
   */
  width?: number;
  /** Changes the colours: warmer up to 60, colder down to -60. */
  hue?: number;
}

/**
 * Generates a photo: soft colours, and noise like that of a camera, which no format can compress. It is computed pixel
 * by pixel, because a service in the same process has blocked the other ways to draw.
 */
export async function paintPhoto(
  name: string,
  { format = 'jpeg', width = 2400, hue = 0 }: PhotoOptions = {},
): Promise<PhotoFile> {
  const height = Math.round(width * 0.75);
  const photo = sharp(paint(width, height, hue), { raw: { width, height, channels: 3 } });
  const buffer = await photo.toFormat(format, { quality: 90 }).toBuffer();
  return { name: `${name}.${format === 'jpeg' ? 'jpg' : format}`, mimeType: `image/${format}`, buffer };
}

/** A sample photo, such as `cat-luna.jpg`. */
export async function samplePhoto(name: string): Promise<PhotoFile> {
  return { name, mimeType: 'image/jpeg', buffer: await readFile(join(SAMPLES, name)) };
}

/** An animal in a meadow. */
function paint(width: number, height: number, hue: number): Buffer {
  const pixels = Buffer.alloc(width * height * 3);
  let grain = 1;
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      // A linear congruential generator: the same noise every time.
      grain = (Math.imul(grain, 1_664_525) + 1_013_904_223) >>> 0;
      const light = (grain >>> 27) - 16;
      const [red, green, blue] = colourAt(x / width, y / height);
      pixels[at++] = clamp(red + light + hue);
      pixels[at++] = clamp(green + light);
      pixels[at++] = clamp(blue + light - hue);
    }
  return pixels;
}

function colourAt(x: number, y: number): readonly [number, number, number] {
  const body = ((x - 0.5) / 0.24) ** 2 + ((y - 0.66) / 0.24) ** 2;
  const head = ((x - 0.62) / 0.12) ** 2 + ((y - 0.4) / 0.16) ** 2;
  const nearness = 1 - Math.min(body, head);
  if (nearness > 0) return [150 + 70 * nearness, 95 + 60 * nearness, 55 + 40 * nearness];
  return y < 0.55 ? [150 + 150 * y, 190 + 60 * y, 235 - 20 * y] : [130 - 60 * y, 175 - 70 * y, 80 - 40 * y];
}

function clamp(value: number): number {
  return Math.max(0, Math.min(255, value));
}
