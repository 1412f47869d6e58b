import type { Metadata, Sharp } from 'sharp';
import type { PixelSize } from '../../domain/photos/photo.ts';

/* Reads the positions in GIF files (GIF89a) that libvips does not report. */

interface GifPlaces {
  screen: PixelSize;
  /** The area of the first frame. */
  first: PixelSize & { left: number; top: number };
}

const SCREEN_AT = 6;
const SCREEN_FLAGS_AT = 10;
const SCREEN_END = 13;
const EXTENSION = 0x21;
const FRAME = 0x2c;
const FRAME_LENGTH = 10;

/** Undefined if there is no frame. */
function findGifPlaces(file: Buffer): GifPlaces | undefined {
  const flags = file.readUInt8(SCREEN_FLAGS_AT);
  const palette = (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
  let at = SCREEN_END + palette;
  while (file[at] === EXTENSION) {
    at += 2;
    for (let length = file[at]; length !== undefined && length > 0; length = file[at]) at += length + 1;
    at += 1;
  }
  if (file[at] !== FRAME || at + FRAME_LENGTH > file.byteLength) return undefined;
  const number = (offset: number) => file.readUInt16LE(offset);
  return {
    screen: { width: number(SCREEN_AT), height: number(SCREEN_AT + 2) },
    first: { left: number(at + 1), top: number(at + 3), width: number(at + 5), height: number(at + 7) },
  };
}

/**
 * Places a frame on the screen, which is transparent elsewhere. Without transparent frames, libvips makes the rest of
 * the screen black, and it ignores some sizes of screens.
 *
 * @param fits whether a photo may have this size
 */
export function onScreen(
  frame: Sharp,
  file: Buffer,
  { width, height, hasAlpha }: Pick<Metadata, 'width' | 'height' | 'hasAlpha'>,
  isFirst: boolean,
  fits: (size: PixelSize) => boolean,
): Sharp {
  const { screen, first } = findGifPlaces(file) ?? {};
  if (screen === undefined || first === undefined) return frame;
  const larger = { width: Math.max(width, screen.width), height: Math.max(height, screen.height) };
  const whole = fits(larger) ? larger : { width, height };
  const isPart = isFirst && !hasAlpha && (first.width < width || first.height < height);
  const area = isPart ? first : { left: 0, top: 0, width, height };
  if (area.width === whole.width && area.height === whole.height) return frame;
  return frame.extract(area).extend({
    left: area.left,
    top: area.top,
    right: whole.width - area.left - area.width,
    bottom: whole.height - area.top - area.height,
    background: 'transparent',
  });
}
