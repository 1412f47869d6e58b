import { ENDPOINTS, type Endpoint } from '../endpoints.ts';
import { readJson } from './int64-text.ts';
import { MenagerieError, NetworkError } from './failures.ts';
import type { Answered, CallOptions, Operations } from './operation-types.ts';
import { prepareRequest, type AnyOptions, type Input } from './requests.ts';
import { linesOf } from './streams.ts';
import { createTransport, NOT_MODIFIED, type TransportSettings } from './transport.ts';

export { MenagerieError, NetworkError, type FieldProblem } from './failures.ts';
export type { Answered, ArgumentsOf, CallOptions, OptionsOf, ResultOf } from './operation-types.ts';
export type { UploadProgress, UploadSource } from './uploads.ts';
export type { OperationId } from '../endpoints.ts';

export interface ClientOptions extends Partial<TransportSettings> {
  /** Where the interface begins; `http://127.0.0.1:8080/v2` by default. In a page of the service's own, `/v2` will do. */
  base?: string;
  /** Of a session, as `login` gives it. */
  token?: string;
  apiKey?: string;
  /** For every request. */
  headers?: Readonly<Record<string, string>>;
}

export interface Login {
  token: string;
  expiresAt: Date | undefined;
}

export interface Client extends Operations {
  /** Begins a session, and uses it from now on. The password does not stand in an address. */
  login: (username: string, password: string, options?: CallOptions) => Promise<Login>;
  /** Ends the session; from now on there is none. */
  logout: (options?: CallOptions) => Promise<void>;
}

const DEFAULT_BASE = 'http://127.0.0.1:8080/v2';
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 2;
const TOKEN_PREFIX = 'logged in user session:';

type AnyFunction = (input?: Input, options?: AnyOptions) => unknown;

/**
 * A client for every operation of the service, by its id: `client.getPetById({ petId: 1n })`. The first argument has what stands in the path and the
 * query, by name, and the `body`; the second what is about the call itself. 64-bit integers come as a bigint; they may be given as a number as well,
 * where a double holds them.
 */
export function createClient(options: ClientOptions = {}): Client {
  const base = (options.base ?? DEFAULT_BASE).replace(/\/+$/, '');
  const { timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES } = options;
  const transport = createTransport({ timeoutMs, retries, ...(options.fetch && { fetch: options.fetch }) });
  let { token } = options;

  function send<T>(
    { endpoint, accept }: { endpoint: Endpoint; accept: string },
    input: Input,
    callOptions: AnyOptions,
    read: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    const where = { base, endpoint, accept };
    const request = prepareRequest(where, input, { options: callOptions, abilities: transport.abilities });
    const headers = { ...lowerCased(options.headers), ...credentials(), ...request.headers };
    const { signal, timeoutMs } = callOptions;
    return transport.send({ ...request, headers }, { signal, timeoutMs }, read);
  }

  function credentials(): Record<string, string> {
    return {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(options.apiKey !== undefined && { api_key: options.apiKey }),
    };
  }

  function operation(endpoint: Endpoint): AnyFunction {
    const asked = { endpoint, accept: endpoint.answer === 'picture' ? '*/*' : 'application/json' };

    function answer(input: Input = {}, callOptions: AnyOptions = {}): Promise<Answered<unknown>> {
      return send(asked, input, callOptions, async (response) => ({
        status: response.status,
        value: response.status === NOT_MODIFIED ? undefined : await valueOf(response, endpoint),
        etag: response.headers.get('etag') ?? undefined,
        headers: response.headers,
      }));
    }

    async function* pages(input: Input = {}, callOptions: AnyOptions = {}): AsyncGenerator<unknown, void, void> {
      let cursor: unknown = input['cursor'];
      do {
        const page = await answer({ limit: PAGE_SIZE, ...input, cursor }, callOptions);
        yield page.value;
        cursor = nextCursor(page.headers);
      } while (cursor !== undefined);
    }

    async function* all(input?: Input, callOptions?: AnyOptions): AsyncGenerator<unknown, void, void> {
      for await (const page of pages(input, callOptions)) yield* page as readonly unknown[];
    }

    async function* lines(input: Input = {}, callOptions: AnyOptions = {}): AsyncGenerator<unknown, void, void> {
      const body = await send(
        { endpoint, accept: 'application/x-ndjson' },
        input,
        callOptions,
        (response) => response.body,
      );
      for await (const line of unbroken(linesOf(body), callOptions.signal)) if (line !== '') yield readJson(line);
    }

    const call: AnyFunction = async (input, callOptions) => {
      const { status, value } = await answer(input, callOptions);
      if (status === NOT_MODIFIED) throw new MenagerieError({ status, message: 'What you have is the newest.' });
      return value;
    };
    return Object.assign(call, { answer, pages, all, lines });
  }

  const operations = Object.fromEntries(
    Object.entries(ENDPOINTS).map(([id, endpoint]) => [id, operation(endpoint)]),
  ) as unknown as Operations;

  return {
    ...operations,
    async login(username, password, callOptions) {
      const { value, headers } = await operations.loginUserWithBody.answer(
        { body: { username, password } },
        callOptions,
      );
      token = String(value).replace(TOKEN_PREFIX, '');
      const expiresAt = headers.get('x-expires-after');
      return { token, expiresAt: expiresAt === null ? undefined : new Date(expiresAt) };
    },
    async logout(callOptions) {
      await operations.logoutUser({}, callOptions);
      token = undefined;
    },
  };
}

const PAGE_SIZE = 100;

async function valueOf(response: Response, { answer }: Endpoint): Promise<unknown> {
  return answer === 'picture' ? response.blob() : readJson(await response.text());
}

/** Where the next page begins, by its Link (RFC 8288). */
function nextCursor(headers: Headers): string | undefined {
  const url = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  return url === undefined ? undefined : (new URL(url, DEFAULT_BASE).searchParams.get('cursor') ?? undefined);
}

/** @throws NetworkError where the lines break off, and the reason of the signal where that ended them */
async function* unbroken(lines: AsyncIterable<string>, signal: AbortSignal | undefined) {
  try {
    yield* lines;
  } catch (error) {
    signal?.throwIfAborted();
    throw new NetworkError('The answer broke off.', { cause: error });
  }
}

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
