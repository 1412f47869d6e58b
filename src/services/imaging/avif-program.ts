import { buffer } from 'node:stream/consumers';
import { Failure } from '../../domain/failure.ts';
import { REFUSED } from './avif.ts';
import { encodeForStore } from './storing.ts';

/*
 * Decodes one AVIF in a separate process: a small AVIF can contain thousands of frames that no header mentions, and
 * only the end of the process stops the decoder. Reads the file from standard input, and writes the encoded photo or a
 * Failure to standard output.
 */

/**
 * A photo of 40 million pixels needs 0.8 GB. In a container with less memory, half of it, because the service needs
 * memory as well.
 */
const MAX_RESIDENT_BYTES = Math.min(2 * 1024 ** 3, process.constrainedMemory() / 2 || Infinity);
const WATCH_INTERVAL_MS = 20;

const [maxPixels = 0, maxCpuSeconds = 0] = process.argv.slice(2).map(Number);

setInterval(() => {
  const { user, system } = process.cpuUsage();
  const isTooMuch = (user + system) / 1e6 > maxCpuSeconds || process.memoryUsage.rss() > MAX_RESIDENT_BYTES;
  // process.exit would wait for the decoder.
  if (isTooMuch) process.kill(process.pid, 'SIGKILL');
}, WATCH_INTERVAL_MS).unref();

try {
  const { bytes } = await encodeForStore(await buffer(process.stdin), maxPixels);
  process.stdout.write(bytes);
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.exitCode = REFUSED;
  process.stdout.write(JSON.stringify(error.toPlain()));
}
