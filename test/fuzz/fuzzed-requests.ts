import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { PASSWORDS, startSecuredService } from '../support/secured.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { requestsOf, type FuzzRequest, type OpenApi } from './document-requests.ts';

/*
 * Requests generated from the OpenAPI document must never get 5xx. As in all tests, each response must agree with the
 * document. To repeat a run, set MENAGERIE_FUZZ_SEED to the seed that it printed.
 */

export const SEED = Number(process.env['MENAGERIE_FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** As many as browsers open. */
const AT_ONCE = 6;

/** Endless responses have tests of their own. */
const ENDLESS = new Set(['streamEvents']);

interface Fuzzed {
  statuses: Map<number, number>;
  operations: Set<string>;
}

/** A client, possibly logged in. */
interface Caller {
  credential: string;
  /** Logs in again if a request ended the session. */
  renew: () => Promise<void>;
}

/** @param count the number of requests, half of them in open access, half in secured access */
export function testFuzzedRequests(count: number): void {
  for (const [title, start] of [
    ['in open access', startOpen],
    ['in secured access', startSecured],
  ] as const) {
    void test(`fuzzed requests ${title}: no response is 5xx`, { timeout: 600_000 }, async (t) => {
      t.diagnostic(`seed ${SEED}`);
      const { service, callers, isWanted } = await start(t);
      const requests = await requestsTo(service, isWanted);
      assert.ok(requests.length > 20, String(requests.length));
      const fuzzed = await sendAll(
        service.origin,
        fc.sample(fc.oneof(...requests), { seed: SEED, numRuns: count / 2 }),
        callers,
      );
      t.diagnostic(JSON.stringify(Object.fromEntries([...fuzzed.statuses].toSorted(([a], [b]) => a - b))));
      // If all requests were refused, the test would find nothing.
      for (const status of [200, 400, 404])
        assert.ok((fuzzed.statuses.get(status) ?? 0) > count / 200, `${status} is rare`);
      assert.equal(fuzzed.operations.size, requests.length);
    });
  }
}

/** One arbitrary for each operation that `isWanted`. */
export async function requestsTo(service: TestService, isWanted: (operation: string) => boolean) {
  const document = (await (await fetch(`${service.base}/openapi.json`)).json()) as OpenApi;
  return requestsOf(document, rootOf(document, service), (operation) => !ENDLESS.has(operation) && isWanted(operation));
}

interface Started {
  service: TestService;
  callers: readonly Caller[];
  isWanted: (operation: string) => boolean;
}

function isPublic(operation: string): boolean {
  return !['use own account', 'administer'].includes(ENDPOINTS[operation as OperationId].permission ?? '');
}

/**
 * Operations that check passwords trigger the throttle, which would block the client's own logins. They are fuzzed in
 * open access.
 */
export function isNoGuess(operation: string): boolean {
  return !['loginUser', 'loginUserWithBody', 'resetPassword'].includes(operation);
}

/** With samples to find, and without operations that require a user. */
async function startOpen(t: Lifetime): Promise<Started> {
  const service = await startTestService(t, { flags: [] });
  const callers = ['', 'special-key', '', 'nonsense'].map((credential) => ({
    credential,
    renew: () => Promise.resolve(),
  }));
  return { service, callers, isWanted: isPublic };
}

export async function startSecured(t: Lifetime): Promise<Started> {
  const service = await startSecuredService(t);
  const callers = ['root', 'edna', 'vera'].map((username): Caller => {
    const caller = { credential: '', renew: async () => void (caller.credential = await logIn(service, username)) };
    return caller;
  });
  for (const { renew } of callers) await renew();
  return { service, callers: [{ credential: '', renew: () => Promise.resolve() }, ...callers], isWanted: isNoGuess };
}

/** The session token; none if the login fails, because some requests delete accounts and try passwords. */
async function logIn({ base }: TestService, username: string): Promise<string> {
  const body = JSON.stringify({ username, password: PASSWORDS[username] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${base}/user/login`, { method: 'POST', body, headers });
  return response.ok ? ((await response.json()) as string) : '';
}

/** The document has paths relative to its server URL. */
function rootOf(document: OpenApi, { base }: TestService): string {
  return Object.keys(document.paths).every((path) => path.startsWith('/v2/')) ? '' : new URL(base).pathname;
}

async function sendAll(origin: string, requests: readonly FuzzRequest[], callers: readonly Caller[]): Promise<Fuzzed> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const fuzzed: Fuzzed = { statuses: new Map(), operations: new Set() };
  const waiting = requests.values();
  const work = async () => {
    for (const request of waiting) {
      const { credential, renew } = callers[request.caller] ?? assert.fail();
      const { status, text } = await send(origin, request, credential, agent);
      if (status === 401 && credential !== '') await renew();
      assert.ok(status < 500, `${status} ${text}\nof ${textOf(request)}`);
      fuzzed.statuses.set(status, (fuzzed.statuses.get(status) ?? 0) + 1);
      fuzzed.operations.add(request.operation);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    agent.destroy();
  }
  return fuzzed;
}

export async function send(
  origin: string,
  { method, path, headers, body }: FuzzRequest,
  credential: string,
  agent: Agent,
) {
  const sent = httpRequest(origin + path, {
    method,
    agent,
    headers: {
      ...(credential !== '' && { authorization: `Bearer ${credential}` }),
      ...headers,
      ...(body !== undefined && { 'content-length': String(body.byteLength) }),
    },
    timeout: 60_000,
    // A Link header repeats the query of the request, which may be as long as Node allows.
    maxHeaderSize: 64 * 1024,
  });
  sent.on('timeout', () => sent.destroy(new Error(`no response to ${method} ${path}`)));
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = await response.setEncoding('utf8').reduce((whole, chunk: string) => whole + chunk, '');
  return { status: response.statusCode ?? 0, text };
}

/** Describes the request in messages. */
export function textOf({ operation, method, path, headers, body }: FuzzRequest): string {
  const text = body === undefined ? '' : Buffer.from(body).toString('utf8').slice(0, 2000);
  return `${operation}: ${method} ${path}\n${JSON.stringify(headers)}\n${text}`;
}
