import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { webhookBody } from '../../api/events/webhook-views.ts';
import type { WebhookSender } from '../../domain/events/ports.ts';
import { createWebhookWork } from '../../domain/events/webhook-work.ts';
import { isUnavailable } from '../../domain/failure.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Config } from '../config.ts';
import type { DatabaseStores } from '../../domain/stores.ts';

/** How often it is looked whether there is something to be sent; and where there is nobody to send it to, whether there is by now. */
const LOOK_EVERY_MS = 500;
const LOOK_FOR_WEBHOOKS_EVERY_MS = 2000;

/** Beside the time that a receiver may take: for the database. */
const LEASE_MARGIN_MS = 5000;

interface SendingNeeds {
  stores: DatabaseStores;
  sender: WebhookSender;
  config: Config;
  clock: Clock;
  log: Logger;
}

/** Sends what changes to those who are to be told, as long as the service runs. Returns a function that stops it; what is on its way is broken off. */
export function sendToWebhooks({ stores, sender, config, clock, log }: SendingNeeds): () => Promise<void> {
  const stopping = new AbortController();
  const { timeoutMs, retryDelaysMs } = config.webhooks;
  const onTrouble = (error: unknown) => {
    // That the database is out of reach is told once, by those who look after the way to it.
    if (!isUnavailable(error)) log.error({ err: error }, 'sending to webhooks failed; it goes on');
  };
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

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      const hasAny = await work.look(stopping.signal).catch((error: unknown) => {
        onTrouble(error);
        return false;
      });
      const pauseMs = hasAny ? LOOK_EVERY_MS : LOOK_FOR_WEBHOOKS_EVERY_MS;
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const looking = keepLooking();
  return async () => {
    stopping.abort();
    await looking;
    await work.finish().catch(onTrouble);
  };
}
