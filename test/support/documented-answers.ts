import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { problemsOf } from './answer-check.ts';

/*
 * Every answer that a service in this process gives, in whatever test, is compared with the document of the interface. What does not agree fails
 * the test file, at its end.
 */

/** So much of a body is kept. A list of a hundred thousand pets is looked at in part. */
const KEPT_BYTES = 256 * 1024;

const MAX_TOLD = 15;

const problems = new Map<string, { first: string; count: number }>();

/** From now on, every answer of this process. */
export function checkAnswers(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url?.includes('/v2/') === true) watch(request, response);
  });
  process.on('exit', tell);
}

function watch({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void {
  let headers: Readonly<Record<string, unknown>> = {};
  const chunks: Buffer[] = [];
  let kept = 0;
  let isCut = false;

  function keep(chunk: unknown, encoding: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    if (kept >= KEPT_BYTES) {
      isCut = true;
      return;
    }
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : Buffer.from(chunk);
    chunks.push(bytes);
    kept += bytes.byteLength;
  }

  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  response.writeHead = (...given: unknown[]) => {
    const own = given.find((value) => typeof value === 'object' && value !== null) ?? {};
    headers = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value as unknown]));
    return writeHead(...given);
  };
  const write = response.write.bind(response) as (...given: unknown[]) => boolean;
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  response.write = (...given: unknown[]) => {
    keep(given[0], given[1]);
    return write(...given);
  };
  response.end = (...given: unknown[]) => {
    keep(given[0], given[1]);
    return end(...given);
  };
  // Also of what is cut off in the middle, as a stream of events always is, the beginning must be right.
  response.once('close', () => {
    if (!response.headersSent) return;
    const answer = {
      method,
      target: url,
      status: response.statusCode,
      headers: { ...response.getHeaders(), ...headers },
      body: method === 'HEAD' ? undefined : Buffer.concat(chunks).toString('utf8'),
      isCut: isCut || !response.writableFinished,
    };
    for (const problem of problemsOf(answer)) note(problem, `${method} ${url.slice(0, 200)}`);
  });
}

function note(problem: string, first: string): void {
  const known = problems.get(problem);
  if (known === undefined) problems.set(problem, { first, count: 1 });
  else known.count++;
}

function tell(): void {
  if (problems.size === 0) return;
  process.exitCode = 1;
  const told = [...problems].slice(0, MAX_TOLD).map(([problem, { first, count }]) => {
    const times = count === 1 ? '' : ` (${count} times)`;
    return `- ${problem}${times}\n  first at ${first}`;
  });
  const more = problems.size > MAX_TOLD ? `\n... and ${problems.size - MAX_TOLD} more.` : '';
  process.stderr.write(
    `Answers are not as src/contract/documents/ says. Mend the description, or the answer:\n${told.join('\n')}${more}\n`,
  );
}
