import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PaintedPicture, PaintingOrder } from './picture-painter.ts';

const PAINTER = fileURLToPath(new URL('picture-painter.ts', import.meta.url));

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
 * these pictures are of just such a format. It is started once, and makes all that this one asks for.
 */
export async function makePicture(options: PictureOptions = {}): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const number = ++orders;
  const child = (painter ??= startPainter());
  waiting.set(number, { resolve, reject });
  child.channel?.ref();
  child.send({ number, options } satisfies PaintingOrder);
  return promise;
}

interface Waiting {
  resolve: (picture: Buffer) => void;
  reject: (error: Error) => void;
}

let painter: ChildProcess | undefined;
let orders = 0;
const waiting = new Map<number, Waiting>();

function startPainter(): ChildProcess {
  const child = fork(PAINTER, { serialization: 'advanced' });
  // It ends when this process does, and does not keep it from ending but while somebody waits for a picture.
  child.unref();
  child.channel?.unref();
  child.on('message', ({ number, bytes, error }: PaintedPicture) => {
    const { resolve, reject } = waiting.get(number) ?? {};
    waiting.delete(number);
    if (waiting.size === 0) child.channel?.unref();
    if (bytes === undefined) reject?.(new Error(error));
    else resolve?.(Buffer.from(bytes));
  });
  child.on('exit', (code, signal) => {
    painter = undefined;
    for (const { reject } of waiting.values()) reject(new Error(`The painter ended with ${code ?? signal}.`));
    waiting.clear();
  });
  return child;
}
