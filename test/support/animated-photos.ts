import sharp from 'sharp';
import { PNG_SIGNATURE, pngChunk } from './hostile-photos.ts';

/* Animations that no library writes. */

/** An animated PNG of these frames, all of one size, written without a palette. */
export async function animatedPng(frames: readonly Buffer[]): Promise<Buffer> {
  const [header = Buffer.alloc(0)] = frames;
  let number = 0;
  const numbered = (...data: readonly number[]) => Buffer.from([0, 0, 0, number++, ...data]);
  const parts = frames.flatMap((frame, index) => {
    const pixels = pixelsOf(frame);
    const size = frame.subarray(16, 24);
    const control = numbered(...size, ...Array.from({ length: 8 }, () => 0), 0, 1, 0, 10, 0, 0);
    return [
      pngChunk('fcTL', control),
      index === 0 ? pngChunk('IDAT', pixels) : pngChunk('fdAT', Buffer.concat([numbered(), pixels])),
    ];
  });
  const animation = pngChunk('acTL', Buffer.from([0, 0, 0, frames.length, 0, 0, 0, 0]));
  return Buffer.concat([PNG_SIGNATURE, header.subarray(8, 33), animation, ...parts, pngChunk('IEND', Buffer.alloc(0))]);
}

function pixelsOf(png: Buffer): Buffer {
  const at = png.indexOf('IDAT', 0, 'latin1');
  return png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
}

/** A GIF whose only frame is at this position of a larger screen. */
export async function gifOnScreen(
  frame: Buffer,
  screen: readonly [number, number],
  at: readonly [number, number],
): Promise<Buffer> {
  const gif = await sharp(frame).gif().toBuffer();
  const descriptor = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0]));
  gif.writeUInt16LE(screen[0], 6);
  gif.writeUInt16LE(screen[1], 8);
  gif.writeUInt16LE(at[0], descriptor + 1);
  gif.writeUInt16LE(at[1], descriptor + 3);
  return gif;
}
