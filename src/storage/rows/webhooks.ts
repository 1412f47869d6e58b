import { WEBHOOK_LIMITS, type FailedDelivery, type Webhook, type WebhookState } from '../../domain/events/webhook.ts';
import { Failure } from '../../domain/failure.ts';
import { nameOfStored, storedName } from './stored-names.ts';

/* Webhooks and their deliveries as rows of both engines. */

export type WebhookRow = [
  id: string,
  url: string,
  events: string,
  secret: string,
  origin: string,
  state: WebhookState,
  lastVersion: bigint,
  createdAtMs: bigint,
  waiting: bigint,
  nextDueMs: bigint | null,
];

export const ALL_WEBHOOKS = `
  select id, url, events, secret, origin, state, last_version, created_at_ms,
    (select count(*) from webhook_delivery where webhook_id = webhook.id and dead = 0),
    (select min(next_at_ms) from webhook_delivery where webhook_id = webhook.id and dead = 0)
  from webhook where id > '' order by id limit ${WEBHOOK_LIMITS.webhooks}`;

export type DeliveryRow = [
  version: bigint,
  attempts: bigint,
  nextAtMs: bigint,
  dead: bigint,
  lastStatus: bigint | null,
  lastError: string | null,
  lastAtMs: bigint,
];

export const DELIVERY_COLUMNS = 'version, attempts, next_at_ms, dead, last_status, last_error, last_at_ms';

/** The webhooks, oldest first. */
export function toWebhooks(rows: readonly WebhookRow[]): readonly Webhook[] {
  return rows.map(toWebhook).toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}

function toWebhook(row: WebhookRow): Webhook {
  const [id, url, events, secret, origin, state, lastVersion, createdAtMs, waiting, nextDueMs] = row;
  return {
    id,
    url,
    patterns: events.split(' ').map(nameOfStored),
    secret,
    origin,
    state,
    lastVersion,
    createdAtMs: Number(createdAtMs),
    waiting: Number(waiting),
    nextDueMs: nextDueMs === null ? undefined : Number(nextDueMs),
  };
}

/** The column `events`. */
export function eventsText(patterns: readonly string[]): string {
  return patterns.map(storedName).join(' ');
}

export function toDelivery(row: DeliveryRow): FailedDelivery {
  const [version, attempts, nextAtMs, dead, lastStatus, lastError, lastAtMs] = row;
  return {
    version,
    attempts: Number(attempts),
    nextAtMs: Number(nextAtMs),
    isDead: dead !== 0n,
    lastStatus: lastStatus === null ? undefined : Number(lastStatus),
    lastError: lastError ?? undefined,
    lastAtMs: Number(lastAtMs),
  };
}

/** @throws Failure `conflict` */
export function requireRoomForWebhook(count: number): void {
  if (count < WEBHOOK_LIMITS.webhooks) return;
  throw new Failure('conflict', `There are already ${WEBHOOK_LIMITS.webhooks} webhooks. Delete one first.`);
}
