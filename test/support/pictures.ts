import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type PictureFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff';

export interface PictureOptions {
  width?: number;
  height?: number;
  format?: PictureFormat;
  /** Different seeds make different pictures. */
  seed?: number;
  /** Writes EXIF with a camera, a GPS position and this orientation (1 to 8). */
  orientation?: number;
}

/**
 * Makes a real picture. In a process of its own: the service blocks, for the whole process, the formats that it does not take, and some of
 * these pictures are of just such a format.
 */
export async function makePicture(options: PictureOptions = {}): Promise<Buffer> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', SCRIPT, JSON.stringify(options)], {
    encoding: 'buffer',
    maxBuffer: 256 * 1024 * 1024,
    cwd: import.meta.dirname,
  });
  return stdout;
}

const SCRIPT = `
import sharp from 'sharp';
const { width = 120, height = 80, format = 'jpeg', seed = 0, orientation } = JSON.parse(process.argv.at(-1));
const pixels = Buffer.alloc(width * height * 3);
for (let y = 0, at = 0; y < height; y++) for (let x = 0; x < width; x++) {
  pixels[at++] = (x * 7 + seed * 31) & 255;
  pixels[at++] = (y * 5 + seed * 17) & 255;
  pixels[at++] = ((x ^ y) + seed * 3) & 255;
}
let picture = sharp(pixels, { raw: { width, height, channels: 3 }, limitInputPixels: false });
if (orientation !== undefined) {
  picture = picture.withExif({
    IFD0: { Make: 'Secretcam', Copyright: 'Somebody' },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100', GPSLongitudeRef: 'W', GPSLongitude: '0/1 7/1 4366/100' },
  }).withMetadata({ orientation });
}
process.stdout.write(await picture.toFormat(format, { quality: 80 }).toBuffer());
`;
