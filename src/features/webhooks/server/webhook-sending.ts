import { hash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { webhookBody } from '../api/webhook.ts';
import type { DeliveryActivity } from '../domain/delivery-activity.ts';
import type { WebhookSender } from '../domain/ports.ts';
import { WebhookDispatcher } from '../domain/webhook-dispatcher.ts';
import type { ChangeEvent } from '../../../domain/events/change-event.ts';
import type { InstallationStore } from '../../../domain/ports.ts';
import type { FeatureNode } from '../../../server/features/feature.ts';
import { claimRenewal } from '../../../server/background/claim-renewal.ts';
import { logTrouble } from '../../../server/log/log.ts';

/** Polling interval for events to send, and for webhooks while there are none. */
const EVENTS_POLL_MS = 500;
const WEBHOOKS_POLL_MS = 2000;

/** Short, because deliveries wait for it when a node was killed; a node that loses it early sends events twice. */
const LEASE_MS = 15_000;

interface SendingDeps extends Omit<FeatureNode, 'bell' | 'synonyms'> {
  sender: WebhookSender;
  deliveries: DeliveryActivity;
}

/** Sends changes to webhooks until the returned function is called, which aborts pending deliveries. */
export function sendToWebhooks({
  stores,
  sender,
  deliveries,
  settings,
  publicUrl,
  clock,
  log,
  records,
}: SendingDeps): () => Promise<void> {
  const stopping = new AbortController();
  const onTrouble = logTrouble(log, 'sending to webhooks failed; retrying');
  const dispatcher = new WebhookDispatcher({
    webhooks: stores.webhooks,
    feed: stores.changeFeed,
    sender,
    ...claimRenewal(clock, LEASE_MS),
    node: randomUUID(),
    retryDelaysMs: settings.webhookRetryDelaysMs,
    bodyOf: (event, { origin }) => webhookBody(event, publicUrl ?? origin),
    idOf: eventIds(stores.installation),
    random: Math.random,
    activity: deliveries,
    onTrouble,
  });

  async function keepDispatching(): Promise<void> {
    while (!stopping.signal.aborted) {
      const end = records.beginJob('webhooks');
      const hasAny = await dispatcher.dispatch(stopping.signal).catch((error: unknown) => {
        onTrouble(error);
        return undefined;
      });
      const pauseMs = hasAny === true ? EVENTS_POLL_MS : WEBHOOKS_POLL_MS;
      end({ isFailed: hasAny === undefined, delayMs: pauseMs });
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const dispatching = keepDispatching();
  return async () => {
    stopping.abort();
    await dispatching;
    await dispatcher.finish().catch(onTrouble);
  };
}

/** Long enough that no two events have the same. */
const DIGEST_LENGTH = 24;

/**
 * The IDs of events: from the installation, because several services may send to one receiver, from the version, and
 * from the time, because a database that was restored gives the same version to another change.
 */
function eventIds(installation: InstallationStore): (event: ChangeEvent) => Promise<string> {
  let ofService: string | undefined;
  return async ({ version, atMs }) => {
    ofService ??= (await installation.find()) ?? (await installation.claim(randomUUID()));
    const digest = hash('sha256', `${ofService} ${version} ${atMs}`).slice(0, DIGEST_LENGTH);
    return `evt_${digest}_${version}`;
  };
}
