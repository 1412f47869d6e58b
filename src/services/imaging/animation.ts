import sharp, { type Sharp } from 'sharp';
import type { PixelSize } from '../../domain/photos/photo.ts';

/* Animations that fade in begin with frames that show nothing. */

const MAX_FRAMES = 50;
const MAX_SECONDS = 5;
const SIDE = 64;
const CHANNELS = 4;
const FRAME_BYTES = SIDE * SIDE * CHANNELS;

/** Whether the file is damaged is decided when the frame is read. */
const LENIENT = { failOn: 'none' } as const;

/** A frame shows something if the values of a channel, opacity included, differ by a quarter. */
const MIN_CONTRAST = 64;

/** The number of frames to look at: fifty, or as many as have the pixels of the largest photo. */
function framesToSee(count: number, { width, height }: PixelSize, maxPixels: number): number {
  return Math.min(count, MAX_FRAMES, Math.floor(maxPixels / (width * height)));
}

/** The number of the first frame that shows something, or of the one with the most contrast. */
export async function findShownFrame(file: Buffer, count: number, size: PixelSize, maxPixels: number): Promise<number> {
  const pages = framesToSee(count, size, maxPixels);
  if (pages < 2) return 0;
  const frames = await reduced(sharp(file, { ...LENIENT, pages, limitInputPixels: maxPixels }));
  return mostContrast(
    Array.from({ length: pages }, (_, index) =>
      contrastOf(frames.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES)),
    ),
  );
}

/** Few pixels of each frame. None if a frame is damaged or slow. */
async function reduced(frames: Sharp): Promise<Buffer> {
  return (
    frames
      .timeout({ seconds: MAX_SECONDS })
      // Other kernels mix the edges of successive frames.
      .resize(SIDE, SIDE, { fit: 'fill', kernel: 'nearest' })
      .ensureAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer()
      .catch(() => Buffer.alloc(0))
  );
}

function mostContrast(contrasts: readonly number[]): number {
  const shown = contrasts.findIndex((contrast) => contrast >= MIN_CONTRAST);
  return shown === -1 ? Math.max(contrasts.indexOf(Math.max(...contrasts)), 0) : shown;
}

/** The largest difference of two values in a channel. */
function contrastOf(pixels: Buffer): number {
  const lowest = [255, 255, 255, 255];
  const highest = [0, 0, 0, 0];
  for (const [index, value] of pixels.entries()) {
    const channel = index % CHANNELS;
    if (value < (lowest[channel] ?? 0)) lowest[channel] = value;
    if (value > (highest[channel] ?? 0)) highest[channel] = value;
  }
  return Math.max(...highest.map((value, channel) => value - (lowest[channel] ?? 0)), 0);
}
