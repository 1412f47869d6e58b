import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

/*
 * Part of the bundle: stack traces name the source files. Node's own flag, --enable-source-maps, reads all maps at the
 * start: 50 MiB and 150 ms of CPU. This reads the map of a file when the first stack that names it is read, which only
 * bugs need: the stack of a Failure is not read.
 */

const FOLDER = new URL('.', import.meta.url).href;

const maps = new Map<string, SourceMap | undefined>();

/** V8's objects have this method, which their type lacks. */
interface Frame {
  toString: () => string;
}

Error.prepareStackTrace = (error, frames: readonly Frame[]) =>
  [String(error), ...frames.map((frame) => `    at ${mapped(frame.toString())}`)].join('\n');

function mapped(frame: string): string {
  const start = frame.indexOf(FOLDER);
  const place = start < 0 ? null : /^([\w.-]+):(\d+):(\d+)/.exec(frame.slice(start + FOLDER.length));
  if (place === null) return frame;
  const [text, file = '', line, column] = place;
  const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
  if (origin === undefined || !('fileName' in origin)) return frame;
  const source = `${new URL(origin.fileName, FOLDER).href}:${origin.lineNumber}:${origin.columnNumber}`;
  return frame.replace(FOLDER + text, () => source);
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(new URL(`${file}.map`, FOLDER)));
  return maps.get(file);
}

function readMap(url: URL): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(url, 'utf8')) as SourceMapPayload);
  } catch {
    // The files have been replaced by another build.
    return undefined;
  }
}
