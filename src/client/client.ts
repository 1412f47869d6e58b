import { ENDPOINTS } from '../api/endpoints.ts';
import { operationOf, type Send } from './calls.ts';
import type { CallOptions, Operations } from '../api/operation-types.ts';
import { prepareRequest, withoutTrailingSlashes } from './requests.ts';
import { Transport, type TransportSettings } from './transport.ts';

export { MenagerieError, NetworkError, type FieldProblem } from './failures.ts';
export type {
  Answered,
  ArgumentsOf,
  CallOptions,
  OptionsOf,
  ResultOf,
  UploadProgress,
  UploadSource,
} from '../api/operation-types.ts';
export type { OperationId } from '../api/endpoints.ts';

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
  /** `streamEvents`: what changes, as it changes. */
  events: Operations['streamEvents'];
  /** Begins a session, and uses it from now on. The password does not stand in an address. */
  login: (username: string, password: string, options?: CallOptions) => Promise<Login>;
  /** Ends the session; from now on there is none. */
  logout: (options?: CallOptions) => Promise<void>;
}

const DEFAULT_BASE = 'http://127.0.0.1:8080/v2';
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 2;
const TOKEN_PREFIX = 'logged in user session:';

/**
 * A client for every operation of the service, by its id: `client.getPetById({ petId: 1n })`. The first argument has what stands in the path and the
 * query, by name, and the `body`; the second what is about the call itself. 64-bit integers come as a bigint; they may be given as a number as well,
 * where a double holds them.
 */
export function createClient(options: ClientOptions = {}): Client {
  const base = withoutTrailingSlashes(options.base ?? DEFAULT_BASE);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES } = options;
  const transport = new Transport({ timeoutMs, retries, ...(options.fetch && { fetch: options.fetch }) });
  let { token } = options;

  const send: Send = ({ endpoint, accept }, input, { options: callOptions, read }) => {
    const where = { base, endpoint, accept };
    const request = prepareRequest(where, input, { options: callOptions, abilities: transport.abilities });
    const headers = { ...lowerCased(options.headers), ...credentials(), ...request.headers };
    const { signal, timeoutMs } = callOptions;
    return transport.send({ ...request, headers }, { signal, timeoutMs }, read);
  };

  function credentials(): Record<string, string> {
    return {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(options.apiKey !== undefined && { api_key: options.apiKey }),
    };
  }

  const operations = Object.fromEntries(
    Object.entries(ENDPOINTS).map(([id, endpoint]) => [id, operationOf(endpoint, send)]),
  ) as unknown as Operations;

  return {
    ...operations,
    events: operations.streamEvents,
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

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
