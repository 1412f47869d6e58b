import type { DatabaseSync } from 'node:sqlite';
import { done, type AuditAction, type Stamp } from '../../domain/audit.ts';
import type { DeliveryReport, WebhookChange, BatchedWebhookStore } from '../../domain/events/ports.ts';
import {
  letterNotFound,
  WEBHOOK_LIMITS,
  webhookNotFound,
  type FailedDelivery,
  type Webhook,
  type WebhookState,
} from '../../domain/events/webhook.ts';
import { Failure } from '../../domain/failure.ts';
import { createStandingCheck } from './accounts/standing.ts';
import { createAuditWriter } from './audit-store.ts';
import { prepare, prepareRow, prepareRows } from './engine/database.ts';
import { LAST_VERSION } from './engine/versions.ts';
import type { TransactionWrites, Writer } from './engine/writer.ts';

type WebhookRow = [
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

type DeliveryRow = [
  version: bigint,
  attempts: bigint,
  nextAtMs: bigint,
  dead: bigint,
  lastStatus: bigint | null,
  lastError: string | null,
  lastAtMs: bigint,
];

const DELIVERY_COLUMNS = 'version, attempts, next_at_ms, dead, last_status, last_error, last_at_ms';

type Change<K extends WebhookChange['kind']> = Extract<WebhookChange, { kind: K }>;

/** Reads on the event loop's own connection; changes through the writer. */
export function openWebhookStore(reader: DatabaseSync, writer: Writer): BatchedWebhookStore {
  const all = prepareRows<WebhookRow>(
    reader,
    `select id, url, events, secret, origin, state, last_version, created_at_ms,
       (select count(*) from webhook_delivery where webhook_id = webhook.id and dead = 0),
       (select min(next_at_ms) from webhook_delivery where webhook_id = webhook.id and dead = 0)
     from webhook where id > '' order by id limit ${WEBHOOK_LIMITS.webhooks}`,
  );
  const due = prepareRows<DeliveryRow>(
    reader,
    `select ${DELIVERY_COLUMNS} from webhook_delivery where webhook_id = ? and dead = 0 and next_at_ms <= ? order by next_at_ms limit ?`,
  );
  const dead = prepareRows<DeliveryRow>(
    reader,
    `select ${DELIVERY_COLUMNS} from webhook_delivery where webhook_id = ? and dead = 1 and version > ? order by version limit ?`,
  );
  return {
    list: async () =>
      all()
        .map(toWebhook)
        .toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1)),
    listDue: async (id, nowMs, limit) => due(id, nowMs, limit).map(toDelivery),
    listDeadLetters: async (id, afterVersion, limit) => dead(id, afterVersion, limit).map(toDelivery),
    applyAll: (changes) => writer.apply('webhook', changes),
  };
}

/** The changes of webhooks. */
export function createWebhookWrites(db: DatabaseSync): TransactionWrites<WebhookChange, number> {
  const audit = createAuditWriter(db);
  const demandStanding = createStandingCheck(db);
  const count = prepareRow(db, "select count(*) from webhook where id > ''");
  const lastVersion = prepareRow(db, LAST_VERSION);
  const insert = prepare(
    db,
    `insert into webhook (id, url, events, secret, origin, state, last_version, created_at_ms)
     values (?, ?, ?, ?, ?, 'active', ?, ?)`,
  );
  const update = prepare(
    db,
    `update webhook set url = ifnull(?2, url), events = ifnull(?3, events), secret = ifnull(?4, secret), state = ifnull(?5, state)
     where id = ?1`,
  );
  const remove = prepare(db, 'delete from webhook where id = ?');
  const exists = prepareRow(db, 'select 1 from webhook where id = ?');
  const revive = prepare(
    db,
    `update webhook_delivery set dead = 0, attempts = 0, next_at_ms = ?3
     where webhook_id = ?1 and dead = 1 and (?2 is null or version = ?2)`,
  );
  const lease = prepare(
    db,
    `update webhook set leased_by = ?2, leased_until_ms = ?3 + ?4
     where id = ?1 and state = 'active' and (leased_by is null or leased_by = ?2 or leased_until_ms <= ?3 or leased_until_ms > ?3 + 2 * ?4)`,
  );
  const advance = prepare(
    db,
    `update webhook set last_version = max(last_version, ?3), state = ifnull(?4, state) where id = ?1 and leased_by = ?2`,
  );
  const forget = prepare(db, 'delete from webhook_delivery where webhook_id = ? and version = ?');
  const keep = prepare(
    db,
    `insert into webhook_delivery (webhook_id, ${DELIVERY_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (webhook_id, version) do update set attempts = excluded.attempts, next_at_ms = excluded.next_at_ms, dead = excluded.dead,
       last_status = excluded.last_status, last_error = excluded.last_error, last_at_ms = excluded.last_at_ms`,
  );
  const release = prepare(
    db,
    "update webhook set leased_by = null, leased_until_ms = 0 where id > '' and leased_by = ?",
  );

  function tell(stamp: Stamp, action: AuditAction, id: string): void {
    audit(done(stamp, action, { kind: 'webhook', id, name: null }));
  }

  function create({ webhook, stamp }: Change<'create'>): number {
    if (Number(count()?.[0]) >= WEBHOOK_LIMITS.webhooks) throw tooMany();
    const { id, url, patterns, secret, origin, createdAtMs } = webhook;
    insert.run(id, url, patterns.join(' '), secret, origin, lastVersion()?.[0] as bigint, createdAtMs);
    tell(stamp, 'webhook.created', id);
    return 1;
  }

  function change({ id, url, patterns, secret, state, stamp }: Change<'update'>): number {
    const { changes } = update.run(id, url ?? null, patterns?.join(' ') ?? null, secret ?? null, state ?? null);
    if (changes === 0n) throw webhookNotFound();
    tell(stamp, 'webhook.updated', id);
    return 1;
  }

  function sendAgain({ id, version, nowMs, stamp }: Change<'send-again'>): number {
    if (exists(id) === undefined) throw webhookNotFound();
    const { changes } = revive.run(id, version ?? null, nowMs);
    if (changes === 0n && version !== undefined) throw letterNotFound();
    if (changes > 0n) tell(stamp, 'webhook.letters-sent-again', id);
    return Number(changes);
  }

  function report(
    id: string,
    node: string,
    { lastVersion: version, delivered, failed, isGone }: DeliveryReport,
  ): number {
    if (advance.run(id, node, version, isGone ? 'gone' : null).changes === 0n) return 0;
    for (const each of delivered) forget.run(id, each);
    for (const each of failed)
      keep.run(
        id,
        each.version,
        each.attempts,
        each.nextAtMs,
        each.isDead ? 1 : 0,
        each.lastStatus ?? null,
        each.lastError ?? null,
        each.lastAtMs,
      );
    return 1;
  }

  return {
    apply(asked) {
      if ('stamp' in asked) demandStanding(asked.stamp);
      switch (asked.kind) {
        case 'create':
          return create(asked);
        case 'update':
          return change(asked);
        case 'remove':
          if (remove.run(asked.id).changes === 0n) throw webhookNotFound();
          tell(asked.stamp, 'webhook.removed', asked.id);
          return 1;
        case 'send-again':
          return sendAgain(asked);
        case 'lease':
          return Number(lease.run(asked.id, asked.node, asked.nowMs, asked.leaseMs).changes);
        case 'report':
          return report(asked.id, asked.node, asked.report);
        case 'release':
          break;
      }
      return Number(release.run(asked.node).changes);
    },
  };
}

function tooMany(): Failure {
  return new Failure('conflict', `There are ${WEBHOOK_LIMITS.webhooks} webhooks already. Remove one first.`);
}

function toWebhook(row: WebhookRow): Webhook {
  const [id, url, events, secret, origin, state, lastVersion, createdAtMs, waiting, nextDueMs] = row;
  return {
    id,
    url,
    patterns: events.split(' '),
    secret,
    origin,
    state,
    lastVersion,
    createdAtMs: Number(createdAtMs),
    waiting: Number(waiting),
    nextDueMs: nextDueMs === null ? undefined : Number(nextDueMs),
  };
}

function toDelivery([version, attempts, nextAtMs, dead, lastStatus, lastError, lastAtMs]: DeliveryRow): FailedDelivery {
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
