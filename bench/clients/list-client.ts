import { get } from 'node:http';

/*
 * Takes complete lists as they come and counts their bytes: so many at once, each once or, told to repeat, over and over until it is ended.
 * Called as: node list-client.ts ORIGIN LANES [repeat]
 */

const [origin = '', lanes = '1', mode] = process.argv.slice(2);
let bytes = 0;

function takeList(): Promise<void> {
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
    await takeList();
    if (mode === 'repeat') for (;;) await takeList();
  }),
);
report();
