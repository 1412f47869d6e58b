import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PaintedPhoto, PaintingOrder, PhotoOptions } from './photo-painter.ts';

const PAINTER = fileURLToPath(new URL('photo-painter.ts', import.meta.url));

/**
 * Makes a real photo in a separate process: the service blocks unsupported formats for its whole process, and tests
 * need photos in such formats. The process is started once.
 */
export async function makePhoto(options: PhotoOptions = {}): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const number = ++orders;
  const child = (painter ??= startPainter());
  waiting.set(number, { resolve, reject });
  child.channel?.ref();
  child.send({ number, options } satisfies PaintingOrder);
  return promise;
}

interface Waiting {
  resolve: (photo: Buffer) => void;
  reject: (error: Error) => void;
}

let painter: ChildProcess | undefined;
let orders = 0;
const waiting = new Map<number, Waiting>();

function startPainter(): ChildProcess {
  const child = fork(PAINTER, { serialization: 'advanced' });
  // It ends with this process, and keeps it alive only while a photo is pending.
  child.unref();
  child.channel?.unref();
  child.on('message', ({ number, bytes, error }: PaintedPhoto) => {
    const { resolve, reject } = waiting.get(number) ?? {};
    waiting.delete(number);
    if (waiting.size === 0) child.channel?.unref();
    if (bytes === undefined) reject?.(new Error(error));
    else resolve?.(Buffer.from(bytes));
  });
  child.on('exit', (code, signal) => {
    painter = undefined;
    for (const { reject } of waiting.values()) reject(new Error(`The photo process ended with ${code ?? signal}.`));
    waiting.clear();
  });
  return child;
}
