import { createHmac } from 'node:crypto';
import type { Agent, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { SendOutcome, WebhookMessage, WebhookSender } from '../domain/ports.ts';
import { WEBHOOK_LIMITS } from '../domain/webhook.ts';
import type { Tracing } from '../../../domain/tracing.ts';
import {
  AddressRefused,
  isRefusedLiteral,
  publicLookup,
  resolveBySystem,
  type Resolve,
} from '../../../services/networks/addresses.ts';

const { Agent: HttpAgent, request: requestHttp } = process.getBuiltinModule('node:http');

export interface SenderSettings {
  /** Whether webhooks may have private addresses, this machine included, and plain http. */
  isPrivateAllowed: boolean;
  timeoutMs: number;
  tracing?: Tracing | undefined;
  /** Looks up host names; uses the system by default. */
  resolve?: Resolve;
}

/** Only the status of a response is used. */
const MAX_RESPONSE_BYTES = 65_536;

/** Maximum connections to one host. */
const MAX_SOCKETS = 16;

/**
 * Sends events over HTTP, signed according to https://www.standardwebhooks.com. Redirects are not followed: they could
 * lead anywhere.
 */
export class Sender implements WebhookSender {
  readonly #isPrivateAllowed: boolean;
  readonly #timeoutMs: number;
  readonly #tracing: Tracing | undefined;
  readonly #http: Agent;
  readonly #https: HttpsAgent;

  constructor({ isPrivateAllowed, timeoutMs, tracing, resolve = resolveBySystem }: SenderSettings) {
    const options = {
      keepAlive: true,
      maxSockets: MAX_SOCKETS,
      ...(!isPrivateAllowed && { lookup: publicLookup(resolve) }),
    };
    this.#isPrivateAllowed = isPrivateAllowed;
    this.#timeoutMs = timeoutMs;
    this.#tracing = tracing;
    this.#http = new HttpAgent(options);
    this.#https = new HttpsAgent(options);
  }

  refusalOf(text: string): string | undefined {
    const url = text.length <= WEBHOOK_LIMITS.urlLength && URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol))
      return 'must be an https URL, such as https://example.org/pets';
    if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
    if (this.#isPrivateAllowed) return undefined;
    if (url.protocol !== 'https:') return 'must begin with https://';
    return isRefusedLiteral(url) ? 'must be a public address' : undefined;
  }

  async send(message: WebhookMessage, signal: AbortSignal): Promise<SendOutcome> {
    // The rules may have become stricter since the webhook was created.
    if (this.refusalOf(message.url) !== undefined) return { error: 'the URL is not allowed' };
    const span = this.#tracing?.startSent('POST webhook');
    let status: number | undefined;
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const url = new URL(message.url).href;
      const headers = { ...headersOf(message), ...(span && { traceparent: span.traceparent }) };
      const response = await this.#post(url, headers, message.body, AbortSignal.any([signal, timeout]));
      await readToEnd(response);
      status = response.statusCode ?? 0;
      const retryAfterMs = retryAfterOf(response, message.atMs);
      return { status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    } catch (error) {
      if (signal.aborted) throw error;
      return { error: timeout.aborted ? 'timeout' : reasonOf(error) };
    } finally {
      span?.end(status);
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #post(url: string, headers: OutgoingHttpHeaders, body: string, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers, signal };
      const request = url.startsWith('https:')
        ? requestHttps(url, { ...options, agent: this.#https }, resolve)
        : requestHttp(url, { ...options, agent: this.#http }, resolve);
      request.once('error', reject);
      request.end(body);
    });
  }
}

function headersOf({ id, secrets, atMs, body }: Omit<WebhookMessage, 'url'>): Record<string, string | number> {
  const timestamp = Math.floor(atMs / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'Menagerie',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** The statuses whose responses say when to try again (RFC 6585, section 4, and RFC 9110, section 15.6.4). */
const TRY_LATER: readonly (number | undefined)[] = [429, 503];

/** Seconds or a date (RFC 9110, section 10.2.3). A date that has passed, and everything else, counts as left out. */
function retryAfterOf({ statusCode, headers }: IncomingMessage, sentAtMs: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined || !TRY_LATER.includes(statusCode)) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // JavaScript reads almost anything as a date. Those of HTTP begin with the name of a day.
  if (!/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  // The clock of the receiver may be wrong, so its own time counts.
  const nowMs = Date.parse(headers.date ?? '') || sentAtMs;
  const delayMs = Date.parse(text) - nowMs;
  return delayMs > 0 ? delayMs : undefined;
}

/** Reads the body, so that the connection can be reused. If the body is too long, the connection is closed. */
function readToEnd(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_RESPONSE_BYTES) response.destroy();
    });
    response.once('error', () => {}).once('close', resolve);
  });
}

/** Only the error code: messages of the receiver are not shown, and those of Node may contain internal addresses. */
function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z0-9_]{1,60}$/.test(code) ? `connection failed (${code})` : 'connection failed';
}
