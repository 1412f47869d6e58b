import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { webhookBody } from '../../api/events/webhook-views.ts';
import type { WebhookSender } from '../../domain/events/ports.ts';
import { createWebhookWork } from '../../domain/events/webhook-work.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Config } from '../config.ts';
import { logTrouble, type Logger } from '../log.ts';
import type { DatabaseStores } from '../stores.ts';

/** Interval of the check for deliveries, and without webhooks, of the check for webhooks. */
const CHECK_INTERVAL_MS = 500;
const CHECK_FOR_WEBHOOKS_INTERVAL_MS = 2000;

/** Time for the database, in addition to the timeout of the receiver. */
const LEASE_MARGIN_MS = 5000;

interface SendingDeps {
  stores: DatabaseStores;
  sender: WebhookSender;
  config: Config;
  clock: Clock;
  log: Logger;
}

/** Sends changes to webhooks. Returns a function that stops it and aborts pending deliveries. */
export function sendToWebhooks({ stores, sender, config, clock, log }: SendingDeps): () => Promise<void> {
  const stopping = new AbortController();
  const { timeoutMs, retryDelaysMs } = config.webhooks;
  const onTrouble = logTrouble(log, 'sending to webhooks failed; retrying');
  const work = createWebhookWork({
    webhooks: stores.webhooks,
    feed: stores.changeFeed,
    sender,
    clock,
    node: randomUUID(),
    leaseMs: 2 * timeoutMs + LEASE_MARGIN_MS,
    retryDelaysMs,
    bodyOf: (event, { origin }) => webhookBody(event, config.http.publicUrl ?? origin),
    random: Math.random,
    onTrouble,
  });

  async function sendAll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const hasAny = await work.look(stopping.signal).catch((error: unknown) => {
        onTrouble(error);
        return false;
      });
      const pauseMs = hasAny ? CHECK_INTERVAL_MS : CHECK_FOR_WEBHOOKS_INTERVAL_MS;
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const sending = sendAll();
  return async () => {
    stopping.abort();
    await sending;
    await work.finish().catch(onTrouble);
  };
}
