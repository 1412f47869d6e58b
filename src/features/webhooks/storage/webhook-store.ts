import { done, type AuditAction, type Stamp } from '../../../domain/audit.ts';
import type { WebhookChange, WebhookStore } from '../domain/ports.ts';
import {
  letterNotFound,
  rotationInProgress,
  WEBHOOK_LIMITS,
  webhookNotFound,
  type FailedDelivery,
  type Webhook,
} from '../domain/webhook.ts';
import { Failure } from '../../../domain/failure.ts';
import { rowOf } from '../../../storage/rows/row.ts';
import { statement } from '../../../storage/rows/statements.ts';
import {
  ask,
  send,
  type CommonTransaction,
  type Reads,
  type StoreDeps,
  type Steps,
} from '../../../storage/rows/steps.ts';
import { nameOfStored, storedName } from '../../../storage/rows/stored-names.ts';
import { requireCredential } from '../../../storage/rows/credential-check.ts';

type Change<K extends WebhookChange['kind']> = Extract<WebhookChange, { kind: K }>;

const WAITING = 'from webhook_delivery where webhook_id = webhook.id and dead = 0';

interface StoredWebhook extends Omit<Webhook, 'patterns' | 'previousSecret'> {
  events: string;
  previous: string | undefined;
  previousUntilMs: number | undefined;
}

const WEBHOOK = rowOf<StoredWebhook>({
  id: 'text',
  url: 'text',
  events: 'text',
  secret: 'text',
  previous: ['text?', 'previous_secret'],
  previousUntilMs: ['number?', 'previous_secret_until_ms'],
  origin: 'text',
  state: 'text',
  lastVersion: 'bigint',
  createdAtMs: 'number',
  waiting: ['number', `(select count(*) ${WAITING})`],
  nextDueMs: ['number?', `(select min(next_at_ms) ${WAITING})`],
});

const DELIVERY = rowOf<FailedDelivery>({
  version: 'bigint',
  attempts: 'number',
  nextAtMs: 'number',
  isDead: ['flag', 'dead'],
  lastStatus: 'number?',
  lastError: 'text?',
  lastAtMs: 'number',
});

const all = statement(
  `select ${WEBHOOK.columns} from webhook where id > '' order by id limit ${WEBHOOK_LIMITS.webhooks}`,
);
const due = statement(
  `select ${DELIVERY.columns} from webhook_delivery where webhook_id = $1 and dead = 0 and next_at_ms <= $2 order by next_at_ms limit $3`,
);
const dead = statement(
  `select ${DELIVERY.columns} from webhook_delivery where webhook_id = $1 and dead = 1 and version > $2 order by version limit $3`,
);
const count = statement("select count(*) from webhook where id > ''");
const exists = statement('select 1 from webhook where id = $1');
const insert = statement(
  `insert into webhook (id, url, events, secret, origin, state, last_version, created_at_ms)
   values ($1, $2, $3, $4, $5, 'active', $6, $7)`,
);
const update = statement(
  `update webhook set url = coalesce($2::text, url), events = coalesce($3::text, events), secret = coalesce($4::text, secret),
     previous_secret = case when $4::text is null then previous_secret end,
     previous_secret_until_ms = case when $4::text is null then previous_secret_until_ms end,
     state = coalesce($5::text, state) where id = $1`,
);
const rotate = statement(
  `update webhook set secret = $2, previous_secret = secret, previous_secret_until_ms = $4
   where id = $1 and (previous_secret is null or previous_secret_until_ms <= $3) returning id`,
);
const endRotation = statement(
  `update webhook set previous_secret = null, previous_secret_until_ms = null
   where id = $1 and previous_secret is not null returning id`,
);
const forgetSecrets = statement(
  `update webhook set previous_secret = null, previous_secret_until_ms = null
   where id > '' and previous_secret_until_ms <= $1 returning id`,
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
  (
    sql,
  ) => `update webhook set last_version = ${sql.greatest('last_version', '$3::int8')}, state = coalesce($4::text, state)
   where id = $1 and leased_by = $2 returning id`,
);
const forget = statement(
  ({ isOneOf }) => `delete from webhook_delivery where webhook_id = $1 and ${isOneOf('version', '$2', 'int8')}`,
);
const keep = statement(
  `insert into webhook_delivery (webhook_id, ${DELIVERY.columns}) values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (webhook_id, version) do update set attempts = excluded.attempts, next_at_ms = excluded.next_at_ms, dead = excluded.dead,
     last_status = excluded.last_status, last_error = excluded.last_error, last_at_ms = excluded.last_at_ms`,
);
const release = statement(
  "update webhook set leased_by = null, leased_until_ms = 0 where id > '' and leased_by = $1 returning id",
);

export class SqlWebhookStore implements WebhookStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<WebhookChange, number>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async list(): Promise<readonly Webhook[]> {
    const webhooks = (await this.#reads.ask(all)).map(toWebhook);
    return webhooks.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
  }

  async listDue(id: string, nowMs: number, limit: number): Promise<readonly FailedDelivery[]> {
    return (await this.#reads.ask(due, id, nowMs, limit)).map(DELIVERY.read);
  }

  async listDeadLetters(id: string, afterVersion: bigint, limit: number): Promise<readonly FailedDelivery[]> {
    return (await this.#reads.ask(dead, id, afterVersion, limit)).map(DELIVERY.read);
  }

  apply(change: WebhookChange): Promise<number> {
    return this.#apply(change);
  }
}

export function* applyWebhookChange(change: WebhookChange, transaction: CommonTransaction): Steps<number> {
  if ('stamp' in change) yield* requireCredential(change.stamp);
  switch (change.kind) {
    case 'create':
      return yield* create(change, transaction);
    case 'update':
      return yield* applyUpdate(change, transaction);
    case 'rotate-secret':
      return yield* rotateSecret(change, transaction);
    case 'end-rotation':
      return yield* applyEndOfRotation(change, transaction);
    case 'forget-secrets':
      return (yield* ask(forgetSecrets, change.nowMs)).length;
    case 'delete':
      if ((yield* ask(deleteWebhook, change.id)).length === 0) throw webhookNotFound();
      auditChange(transaction, change.stamp, 'webhook.deleted', change.id);
      return 1;
    case 'retry':
      return yield* retry(change, transaction);
    case 'lease':
      return (yield* ask(lease, change.id, change.node, change.nowMs, change.leaseMs)).length;
    case 'report':
      return yield* report(change);
    case 'release':
      break;
  }
  return (yield* ask(release, change.node)).length;
}

function* create({ webhook, most, stamp }: Change<'create'>, transaction: CommonTransaction): Steps<number> {
  const [row] = yield* ask<[count: bigint]>(count);
  if (Number(row?.[0]) >= most) throw new Failure('conflict', `There are already ${most} webhooks. Delete one first.`);
  const { id, url, patterns, secret, origin, createdAtMs } = webhook;
  yield* send(insert, id, url, eventsText(patterns), secret, origin, transaction.lastVersion(), createdAtMs);
  auditChange(transaction, stamp, 'webhook.created', id);
  return 1;
}

function* applyUpdate(change: Change<'update'>, transaction: CommonTransaction): Steps<number> {
  const { id, url, patterns, secret, state, stamp } = change;
  // PostgreSQL refuses a change with U+0000, which an unknown ID may have. It looks nothing up with it.
  if ((yield* ask(exists, id)).length === 0) throw webhookNotFound();
  const events = patterns === undefined ? null : eventsText(patterns);
  yield* send(update, id, url ?? null, events, secret ?? null, state ?? null);
  auditChange(transaction, stamp, 'webhook.updated', id);
  return 1;
}

function* rotateSecret(
  { id, secret, nowMs, untilMs, stamp }: Change<'rotate-secret'>,
  transaction: CommonTransaction,
): Steps<number> {
  if ((yield* ask(exists, id)).length === 0) throw webhookNotFound();
  if ((yield* ask(rotate, id, secret, nowMs, untilMs)).length === 0) throw rotationInProgress();
  auditChange(transaction, stamp, 'webhook.secret-rotated', id);
  return 1;
}

function* applyEndOfRotation({ id, stamp }: Change<'end-rotation'>, transaction: CommonTransaction): Steps<number> {
  if ((yield* ask(exists, id)).length === 0) throw webhookNotFound();
  const { length } = yield* ask(endRotation, id);
  if (length > 0) auditChange(transaction, stamp, 'webhook.rotation-ended', id);
  return length;
}

function* retry({ id, version, nowMs, stamp }: Change<'retry'>, transaction: CommonTransaction): Steps<number> {
  if ((yield* ask(exists, id)).length === 0) throw webhookNotFound();
  const { length } = yield* ask(revive, id, version ?? null, nowMs);
  if (length === 0 && version !== undefined) throw letterNotFound();
  if (length > 0) auditChange(transaction, stamp, 'webhook.dead-letters-retried', id);
  return length;
}

function* report({ id, node, report: delivery }: Change<'report'>): Steps<number> {
  const { lastVersion, delivered, failed, isGone } = delivery;
  if ((yield* ask(advance, id, node, lastVersion, isGone ? 'gone' : null)).length === 0) return 0;
  if (delivered.length > 0) yield* send(forget, id, delivered);
  for (const { version, attempts, nextAtMs, isDead, lastStatus, lastError, lastAtMs } of failed) {
    const last = [lastStatus ?? null, lastError ?? null, lastAtMs];
    yield* send(keep, id, version, attempts, nextAtMs, isDead ? 1 : 0, ...last);
  }
  return 1;
}

function auditChange({ audit }: CommonTransaction, stamp: Stamp, action: AuditAction, id: string): void {
  audit(done(stamp, action, { kind: 'webhook', id, name: null }));
}

/** The text of the column `events`. */
function eventsText(patterns: readonly string[]): string {
  return patterns.map(storedName).join(' ');
}

function toWebhook(row: readonly unknown[]): Webhook {
  const { events, previous, previousUntilMs = 0, ...webhook } = WEBHOOK.read(row);
  return {
    ...webhook,
    patterns: events.split(' ').map(nameOfStored),
    previousSecret: previous === undefined ? undefined : { secret: previous, untilMs: previousUntilMs },
  };
}
