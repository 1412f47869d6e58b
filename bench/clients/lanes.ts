import { Agent, request, type RequestOptions } from 'node:http';

/*
 * What the clients of a measurement share: they send requests in parallel lanes until SIGTERM or their limit, print
 * STARTED with the first response, and a line with RESULT at the end.
 */

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/** Pending requests are completed: otherwise the server would still process them during the next measurement. */
const state = { isEnding: false };
process.once('SIGTERM', () => {
  state.isEnding = true;
});

let done = 0;

/** To be called after each response, or after a part of it. */
export function countResponse(): void {
  if (done++ === 0) console.log('STARTED');
}

/** Repeats the work in each lane, while `goesOn`. @returns the number of responses and the time */
export async function inLanes(lanes: string, work: () => Promise<void>, goesOn = () => true) {
  const startedMs = performance.now();
  const lane = async () => {
    while (!state.isEnding && goesOn()) await work();
  };
  await Promise.all(Array.from({ length: Number(lanes) }, lane));
  agent.destroy();
  return { count: done, ms: performance.now() - startedMs };
}

/** Sends a request. @throws for a status that is not expected */
export function send(url: string, options: RequestOptions = {}, body?: string | Buffer, expected = [200]) {
  return new Promise<{ status: number; body: Buffer }>((resolve, reject) => {
    const sent = request(url, { agent, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        if (expected.includes(status)) resolve({ status, body: Buffer.concat(chunks) });
        else reject(new Error(`${url} got status ${status}.`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export function printResult(result: object): void {
  console.log(`RESULT ${JSON.stringify(result)}`);
}
