import { get } from 'node:http';

/*
 * Reads complete lists in parallel lanes and counts their bytes, once or, with `repeat`, until SIGTERM.
 * Usage: node list-client.ts ORIGIN LANES [repeat]
 */

const [origin = '', lanes = '1', mode] = process.argv.slice(2);
let bytes = 0;

function readList(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(`${origin}/v2/pet/findByStatus?status=available`, (response) => {
      let last = '';
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) console.log('STARTED');
        bytes += chunk.byteLength;
        last = chunk.toString('latin1', chunk.byteLength - 1);
      });
      response.on('end', () => {
        if (response.statusCode === 200 && last === ']') resolve();
        else reject(new Error(`A list ended with ${JSON.stringify(last)}, status ${response.statusCode}.`));
      });
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

function report(): void {
  console.log(`RESULT ${JSON.stringify({ bytes, ms: performance.now() - startedMs })}`);
}

process.once('SIGTERM', () => {
  report();
  process.exit();
});
const startedMs = performance.now();
await Promise.all(
  Array.from({ length: Number(lanes) }, async () => {
    await readList();
    if (mode === 'repeat') for (;;) await readList();
  }),
);
report();
