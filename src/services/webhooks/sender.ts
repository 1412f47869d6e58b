import { createHmac } from 'node:crypto';
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { SendOutcome, WebhookMessage, WebhookSender } from '../../domain/events/ports.ts';
import { WEBHOOK_LIMITS } from '../../domain/events/webhook.ts';
import { AddressRefused, isRefusedLiteral, publicLookup, resolveBySystem, type Resolve } from './addresses.ts';

export interface SenderSettings {
  /** May it be anywhere, this machine included, and over plain http? */
  isPrivateAllowed: boolean;
  timeoutMs: number;
  /** How names are looked up; as the system does. */
  resolve?: Resolve;
}

export interface Sender extends WebhookSender {
  close(): void;
}

/** Of an answer, only its status matters. */
const MAX_ANSWER_BYTES = 65_536;

/** To one host at a time. */
const MAX_SOCKETS = 16;

/** Sends events by HTTP, signed as https://www.standardwebhooks.com has it. Redirects are not followed: they could lead anywhere. */
export function createSender({ isPrivateAllowed, timeoutMs, resolve = resolveBySystem }: SenderSettings): Sender {
  const limits = {
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
    ...(!isPrivateAllowed && { lookup: publicLookup(resolve) }),
  };
  const agents = { http: new HttpAgent(limits), https: new HttpsAgent(limits) };

  function refusalOf(text: string): string | undefined {
    const url = text.length <= WEBHOOK_LIMITS.urlLength && URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol))
      return 'must be the address of an https server, such as https://example.org/pets';
    if (url.username !== '' || url.password !== '') return 'must be without a user and a password';
    if (isPrivateAllowed) return undefined;
    if (url.protocol !== 'https:') return 'must begin with https://';
    return isRefusedLiteral(url) ? 'must be an address of the public internet' : undefined;
  }

  function post({ url, ...message }: WebhookMessage, signal: AbortSignal): Promise<IncomingMessage> {
    const isSecure = url.startsWith('https:');
    return new Promise((answered, failed) => {
      const options = { method: 'POST', headers: headersOf(message), signal };
      const sent = isSecure
        ? requestHttps(url, { ...options, agent: agents.https }, answered)
        : requestHttp(url, { ...options, agent: agents.http }, answered);
      sent.once('error', failed);
      sent.end(message.body);
    });
  }

  return {
    refusalOf,
    async send(message, signal): Promise<SendOutcome> {
      // The rules may have become stricter since the address was given.
      if (refusalOf(message.url) !== undefined) return { error: 'the address may not be called' };
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await post({ ...message, url: new URL(message.url).href }, AbortSignal.any([signal, timeout]));
        await readToEnd(answer);
        return { status: answer.statusCode ?? 0 };
      } catch (error) {
        if (signal.aborted) throw error;
        return { error: timeout.aborted ? 'no answer in time' : reasonOf(error) };
      }
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function headersOf({ id, secret, atMs, body }: Omit<WebhookMessage, 'url'>): Record<string, string | number> {
  const timestamp = Math.floor(atMs / 1000);
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'Menagerie',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/** So that the connection can be used again; of one who says too much, it is closed instead. What comes of the body does not matter. */
function readToEnd(answer: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let length = 0;
    answer.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_ANSWER_BYTES) answer.destroy();
    });
    answer.once('error', () => {}).once('close', resolve);
  });
}

/** In a few words. What the other side sends is nothing for the eyes of others; what Node says may name addresses inside. */
function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z0-9_]{1,60}$/.test(code) ? `not reached (${code})` : 'not reached';
}
