import type { DatabaseSync } from 'node:sqlite';
import { done, type AuditAction, type NewAuditEntry, type Stamp } from '../../../domain/audit.ts';
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
import { prepareCredentialCheck } from './credential-check.ts';
import { prepareAuditWriter } from './audit-store.ts';
import { prepare, prepareRow, prepareRows } from '../engine/database.ts';
import { LAST_VERSION } from '../engine/versions.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';

type Change<K extends WebhookChange['kind']> = Extract<WebhookChange, { kind: K }>;

/** Reads on the event loop's own connection. */
export class SqliteWebhookStore implements WebhookStore {
  readonly #writer: Writer;
  readonly #all;
  readonly #due;
  readonly #dead;

  constructor({ reader, writer }: { reader: DatabaseSync; writer: Writer }) {
    this.#writer = writer;
    this.#all = prepareRows<WebhookRow>(reader, ALL_WEBHOOKS);
    this.#due = prepareRows<DeliveryRow>(
      reader,
      `select ${DELIVERY_COLUMNS} from webhook_delivery where webhook_id = ? and dead = 0 and next_at_ms <= ? order by next_at_ms limit ?`,
    );
    this.#dead = prepareRows<DeliveryRow>(
      reader,
      `select ${DELIVERY_COLUMNS} from webhook_delivery where webhook_id = ? and dead = 1 and version > ? order by version limit ?`,
    );
  }

  async list(): Promise<readonly Webhook[]> {
    return toWebhooks(this.#all());
  }

  async listDue(id: string, nowMs: number, limit: number): Promise<readonly FailedDelivery[]> {
    return this.#due(id, nowMs, limit).map(toDelivery);
  }

  async listDeadLetters(id: string, afterVersion: bigint, limit: number): Promise<readonly FailedDelivery[]> {
    return this.#dead(id, afterVersion, limit).map(toDelivery);
  }

  apply(change: WebhookChange): Promise<number> {
    return this.#writer.apply('webhook', change);
  }
}

export class WebhookWrites implements TransactionWrites<WebhookChange, number> {
  readonly #audit: (entry: NewAuditEntry) => void;
  readonly #requireCredential: (stamp: Stamp) => void;
  readonly #count;
  readonly #lastVersion;
  readonly #insert;
  readonly #update;
  readonly #delete;
  readonly #exists;
  readonly #revive;
  readonly #lease;
  readonly #advance;
  readonly #forgetDelivery;
  readonly #keepDelivery;
  readonly #release;

  constructor(db: DatabaseSync) {
    this.#audit = prepareAuditWriter(db);
    this.#requireCredential = prepareCredentialCheck(db);
    this.#count = prepareRow(db, "select count(*) from webhook where id > ''");
    this.#lastVersion = prepareRow(db, LAST_VERSION);
    this.#insert = prepare(
      db,
      `insert into webhook (id, url, events, secret, origin, state, last_version, created_at_ms)
       values (?, ?, ?, ?, ?, 'active', ?, ?)`,
    );
    this.#update = prepare(
      db,
      `update webhook set url = ifnull(?2, url), events = ifnull(?3, events), secret = ifnull(?4, secret), state = ifnull(?5, state)
       where id = ?1`,
    );
    this.#delete = prepare(db, 'delete from webhook where id = ?');
    this.#exists = prepareRow(db, 'select 1 from webhook where id = ?');
    this.#revive = prepare(
      db,
      `update webhook_delivery set dead = 0, attempts = 0, next_at_ms = ?3
       where webhook_id = ?1 and dead = 1 and (?2 is null or version = ?2)`,
    );
    this.#lease = prepare(
      db,
      `update webhook set leased_by = ?2, leased_until_ms = ?3 + ?4
       where id = ?1 and state = 'active' and (leased_by is null or leased_by = ?2 or leased_until_ms <= ?3 or leased_until_ms > ?3 + 2 * ?4)`,
    );
    this.#advance = prepare(
      db,
      `update webhook set last_version = max(last_version, ?3), state = ifnull(?4, state) where id = ?1 and leased_by = ?2`,
    );
    this.#forgetDelivery = prepare(db, 'delete from webhook_delivery where webhook_id = ? and version = ?');
    this.#keepDelivery = prepare(
      db,
      `insert into webhook_delivery (webhook_id, ${DELIVERY_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (webhook_id, version) do update set attempts = excluded.attempts, next_at_ms = excluded.next_at_ms, dead = excluded.dead,
         last_status = excluded.last_status, last_error = excluded.last_error, last_at_ms = excluded.last_at_ms`,
    );
    this.#release = prepare(
      db,
      "update webhook set leased_by = null, leased_until_ms = 0 where id > '' and leased_by = ?",
    );
  }

  apply(change: WebhookChange): number {
    if ('stamp' in change) this.#requireCredential(change.stamp);
    switch (change.kind) {
      case 'create':
        return this.#create(change);
      case 'update':
        return this.#replace(change);
      case 'delete':
        if (this.#delete.run(change.id).changes === 0n) throw webhookNotFound();
        this.#auditChange(change.stamp, 'webhook.deleted', change.id);
        return 1;
      case 'retry':
        return this.#retry(change);
      case 'lease':
        return Number(this.#lease.run(change.id, change.node, change.nowMs, change.leaseMs).changes);
      case 'report':
        return this.#report(change);
      case 'release':
        break;
    }
    return Number(this.#release.run(change.node).changes);
  }

  #create({ webhook, stamp }: Change<'create'>): number {
    requireRoomForWebhook(Number(this.#count()?.[0]));
    const { id, url, patterns, secret, origin, createdAtMs } = webhook;
    const lastVersion = this.#lastVersion()?.[0] as bigint;
    this.#insert.run(id, url, eventsText(patterns), secret, origin, lastVersion, createdAtMs);
    this.#auditChange(stamp, 'webhook.created', id);
    return 1;
  }

  #replace({ id, url, patterns, secret, state, stamp }: Change<'update'>): number {
    const events = patterns === undefined ? null : eventsText(patterns);
    const { changes } = this.#update.run(id, url ?? null, events, secret ?? null, state ?? null);
    if (changes === 0n) throw webhookNotFound();
    this.#auditChange(stamp, 'webhook.updated', id);
    return 1;
  }

  #retry({ id, version, nowMs, stamp }: Change<'retry'>): number {
    if (this.#exists(id) === undefined) throw webhookNotFound();
    const { changes } = this.#revive.run(id, version ?? null, nowMs);
    if (changes === 0n && version !== undefined) throw letterNotFound();
    if (changes > 0n) this.#auditChange(stamp, 'webhook.dead-letters-retried', id);
    return Number(changes);
  }

  #report({ id, node, report }: Change<'report'>): number {
    const { lastVersion, delivered, failed, isGone } = report;
    if (this.#advance.run(id, node, lastVersion, isGone ? 'gone' : null).changes === 0n) return 0;
    for (const version of delivered) this.#forgetDelivery.run(id, version);
    for (const { version, attempts, nextAtMs, isDead, lastStatus, lastError, lastAtMs } of failed) {
      const last = [lastStatus ?? null, lastError ?? null, lastAtMs] as const;
      this.#keepDelivery.run(id, version, attempts, nextAtMs, isDead ? 1 : 0, ...last);
    }
    return 1;
  }

  #auditChange(stamp: Stamp, action: AuditAction, id: string): void {
    this.#audit(done(stamp, action, { kind: 'webhook', id, name: null }));
  }
}
