import { ENDPOINTS } from '../api/endpoints.ts';
import { operationOf, type Send } from './calls.ts';
import type { CallOptions, NumberOperations, Operations } from '../api/documents/operation-types.ts';
import { prepareRequest, withoutTrailingSlashes } from './requests.ts';
import { Transport, type TransportSettings } from './transport.ts';

export { MenagerieError, NetworkError, type FieldProblem } from './failures.ts';
export type {
  ClientResponse,
  ArgumentsOf,
  CallOptions,
  OptionsOf,
  ResultOf,
  UploadProgress,
  UploadSource,
} from '../api/documents/operation-types.ts';
export type { OperationId } from '../api/endpoints.ts';

export interface ClientOptions extends Partial<TransportSettings> {
  /** Base URL of the API; `http://127.0.0.1:8080/v2` by default. In a page of the service, `/v2` is enough. */
  base?: string;
  /** Session token, as returned by `login`. */
  token?: string;
  apiKey?: string;
  /**
   * The type of 64-bit integers in results: `bigint` by default, or `number` for those that are exact as a number. IDs
   * that the service assigns are; one beyond 2^53 that a client has chosen is a bigint all the same.
   */
  integers?: 'bigint';
  /** Sent with every request. The headers of a call override them. */
  headers?: Readonly<Record<string, string>>;
}

export interface NumberClientOptions extends Omit<ClientOptions, 'integers'> {
  integers: 'number';
}

export interface Login {
  token: string;
  expiresAt: Date | undefined;
}

interface Session<All extends { streamEvents: unknown }> {
  /** Short for `streamEvents`: changes as they happen. */
  events: All['streamEvents'];
  /** Starts a session, and uses it for all further requests. The password is sent in the body, not in the URL. */
  login: (username: string, password: string, options?: CallOptions) => Promise<Login>;
  /** Ends the session. Further requests are sent without one. */
  logout: (options?: CallOptions) => Promise<void>;
}

export interface Client extends Operations, Session<Operations> {}

/** A client with `integers: 'number'`. */
export interface NumberClient extends NumberOperations, Session<NumberOperations> {}

const DEFAULT_BASE = 'http://127.0.0.1:8080/v2';
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 2;
const TOKEN_PREFIX = 'logged in user session:';

/**
 * Creates a client with a method for each operation, by its ID: `client.getPetById({ petId: 1n })`. The first argument
 * has the parameters of the path and the query, by name, and the `body`; the second has the options of the call. 64-bit
 * integers in results are of type bigint (`integers`); arguments can also be numbers up to 2^53.
 *
 * Methods throw `MenagerieError` for an error response, and `NetworkError` if there is no response.
 */
export function createClient(options: NumberClientOptions): NumberClient;
export function createClient(options?: ClientOptions): Client;
export function createClient(options: ClientOptions | NumberClientOptions = {}): Client | NumberClient {
  const base = withoutTrailingSlashes(options.base ?? DEFAULT_BASE);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES, integers = 'bigint' } = options;
  const transport = new Transport({ timeoutMs, retries, ...(options.fetch && { fetch: options.fetch }) });
  let { token } = options;

  const send: Send = async ({ endpoint, accept }, input, { options: callOptions, read }) => {
    const target = { base, endpoint, accept };
    const request = await prepareRequest(target, input, { options: callOptions, abilities: transport.abilities });
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
    Object.entries(ENDPOINTS).map(([id, endpoint]) => [id, operationOf(endpoint, send, integers)]),
  ) as unknown as Operations;

  return {
    ...operations,
    events: operations.streamEvents,
    async login(username, password, callOptions) {
      const { value, headers } = await operations.loginUserWithBody.response(
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
