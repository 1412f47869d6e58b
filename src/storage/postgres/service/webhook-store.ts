import { done, type AuditAction, type Stamp } from '../../../domain/audit.ts';
import type { WebhookChange, WebhookStore } from '../../../domain/events/ports.ts';
import { letterNotFound, webhookNotFound, type FailedDelivery, type Webhook } from '../../../domain/events/webhook.ts';
import {
  ALL_WEBHOOKS,
  DELIVERY_COLUMNS,
  eventsText,
  requireRoomForWebhook,
  toDelivery,
  toWebhooks,
  type DeliveryRow,
  type WebhookRow,
} from '../../rows/webhooks.ts';
import { requireCredential } from './credential-check.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites, type Transaction } from '../engine/transactions.ts';
import type { Writer } from '../engine/writer.ts';

type Change<K extends WebhookChange['kind']> = Extract<WebhookChange, { kind: K }>;

const all = statement(ALL_WEBHOOKS);
const due = statement(
  `select ${DELIVERY_COLUMNS} from webhook_delivery where webhook_id = $1 and dead = 0 and next_at_ms <= $2 order by next_at_ms limit $3`,
);
const dead = statement(
  `select ${DELIVERY_COLUMNS} from webhook_delivery where webhook_id = $1 and dead = 1 and version > $2 order by version limit $3`,
);
const count = statement("select count(*) from webhook where id > ''");
const exists = statement('select 1 from webhook where id = $1');
const insert = statement(
  `insert into webhook (id, url, events, secret, origin, state, last_version, created_at_ms)
   values ($1, $2, $3, $4, $5, 'active', $6, $7)`,
);
const update = statement(
  `update webhook set url = coalesce($2::text, url), events = coalesce($3::text, events), secret = coalesce($4::text, secret),
     state = coalesce($5::text, state) where id = $1 returning id`,
);
const deleteWebhook = statement('delete from webhook where id = $1 returning id');
const revive = statement(
  `update webhook_delivery set dead = 0, attempts = 0, next_at_ms = $3
   where webhook_id = $1 and dead = 1 and ($2::int8 is null or version = $2) returning version`,
);
const lease = statement(
  `update webhook set leased_by = $2, leased_until_ms = $3::int8 + $4::int8
   where id = $1 and state = 'active'
     and (leased_by is null or leased_by = $2 or leased_until_ms <= $3::int8 or leased_until_ms > $3::int8 + 2 * $4::int8)
   returning id`,
);
const advance = statement(
  `update webhook set last_version = greatest(last_version, $3::int8), state = coalesce($4::text, state)
   where id = $1 and leased_by = $2 returning id`,
);
const forget = statement('delete from webhook_delivery where webhook_id = $1 and version = any($2::int8[])');
const keep = statement(
  `insert into webhook_delivery (webhook_id, ${DELIVERY_COLUMNS})
   select $1, given.* from unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::text[], $8::int8[]) as given
   on conflict (webhook_id, version) do update set attempts = excluded.attempts, next_at_ms = excluded.next_at_ms, dead = excluded.dead,
     last_status = excluded.last_status, last_error = excluded.last_error, last_at_ms = excluded.last_at_ms`,
);
const release = statement(
  "update webhook set leased_by = null, leased_until_ms = 0 where id > '' and leased_by = $1 returning id",
);

export class PostgresWebhookStore implements WebhookStore {
  readonly #ask: Ask;
  readonly #writer: Writer;

  constructor({ ask, writer }: { ask: Ask; writer: Writer }) {
    this.#ask = ask;
    this.#writer = writer;
  }

  async list(): Promise<readonly Webhook[]> {
    return toWebhooks(await this.#ask<WebhookRow>(all));
  }

  async listDue(id: string, nowMs: number, limit: number): Promise<readonly FailedDelivery[]> {
    return (await this.#ask<DeliveryRow>(due, id, nowMs, limit)).map(toDelivery);
  }

  async listDeadLetters(id: string, afterVersion: bigint, limit: number): Promise<readonly FailedDelivery[]> {
    return (await this.#ask<DeliveryRow>(dead, id, afterVersion, limit)).map(toDelivery);
  }

  apply(change: WebhookChange): Promise<number> {
    return this.#writer.apply('webhook', change);
  }
}

export const webhookWrites: StoreWrites<WebhookChange, number> = eachInTurn(async (change, transaction) => {
  if ('stamp' in change) await requireCredential(change.stamp, transaction);
  const { ask } = transaction;
  switch (change.kind) {
    case 'create':
      return create(change, transaction);
    case 'update':
      return applyUpdate(change, transaction);
    case 'delete':
      if ((await ask(deleteWebhook, change.id)).length === 0) throw webhookNotFound();
      auditChange(transaction, change.stamp, 'webhook.deleted', change.id);
      return 1;
    case 'retry':
      return retry(change, transaction);
    case 'lease':
      return (await ask(lease, change.id, change.node, change.nowMs, change.leaseMs)).length;
    case 'report':
      return report(change, transaction);
    case 'release':
      break;
  }
  return (await ask(release, change.node)).length;
});

function auditChange({ audit }: Transaction, stamp: Stamp, action: AuditAction, id: string): void {
  audit(done(stamp, action, { kind: 'webhook', id, name: null }));
}

async function create({ webhook, stamp }: Change<'create'>, transaction: Transaction): Promise<number> {
  const { ask, counters } = transaction;
  const [row] = await ask<[count: bigint]>(count);
  requireRoomForWebhook(Number(row?.[0]));
  const { id, url, patterns, secret, origin, createdAtMs } = webhook;
  const { lastVersion } = await counters;
  await ask(insert, id, url, eventsText(patterns), secret, origin, lastVersion, createdAtMs);
  auditChange(transaction, stamp, 'webhook.created', id);
  return 1;
}

async function applyUpdate(change: Change<'update'>, transaction: Transaction): Promise<number> {
  const { id, url, patterns, secret, state, stamp } = change;
  const changed = await transaction.ask(
    update,
    id,
    url ?? null,
    patterns === undefined ? null : eventsText(patterns),
    secret ?? null,
    state ?? null,
  );
  if (changed.length === 0) throw webhookNotFound();
  auditChange(transaction, stamp, 'webhook.updated', id);
  return 1;
}

async function retry(change: Change<'retry'>, transaction: Transaction): Promise<number> {
  const { id, version, nowMs, stamp } = change;
  if ((await transaction.ask(exists, id)).length === 0) throw webhookNotFound();
  const revived = await transaction.ask(revive, id, version ?? null, nowMs);
  if (revived.length === 0 && version !== undefined) throw letterNotFound();
  if (revived.length > 0) auditChange(transaction, stamp, 'webhook.dead-letters-retried', id);
  return revived.length;
}

async function report({ id, node, report: delivery }: Change<'report'>, { ask }: Transaction): Promise<number> {
  const { lastVersion, delivered, failed, isGone } = delivery;
  if ((await ask(advance, id, node, lastVersion, isGone ? 'gone' : null)).length === 0) return 0;
  if (delivered.length > 0) await ask(forget, id, delivered);
  if (failed.length === 0) return 1;
  await ask(
    keep,
    id,
    failed.map(({ version }) => version),
    failed.map(({ attempts }) => attempts),
    failed.map(({ nextAtMs }) => nextAtMs),
    failed.map(({ isDead }) => (isDead ? 1 : 0)),
    failed.map(({ lastStatus }) => lastStatus ?? null),
    failed.map(({ lastError }) => lastError ?? null),
    failed.map(({ lastAtMs }) => lastAtMs),
  );
  return 1;
}
