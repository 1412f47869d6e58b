import type { Stamp } from '../audit.ts';
import type { ChangeEvent } from './change-event.ts';
import type { FailedDelivery, NewWebhook, Webhook } from './webhook.ts';

/* The stores of events, and what else they depend on. `domain/ports.ts` has the rules for every store. */

/**
 * The changes of pets and accounts, written by the transactions that made them. After a reader has read up to a version, no change with a lower version will
 * appear. Old changes of accounts are deleted.
 */
export interface ChangeFeed {
  /** The version of the last change; 0 if there is none. Cheap enough to be called many times a second. */
  lastVersion(): Promise<bigint>;
  /**
   * The changes after this version, in order, `limit` at most; fewer if their texts are long, but at least one. An empty result is the current end.
   */
  list(afterVersion: bigint, limit: number): Promise<readonly ChangeEvent[]>;
}

/** Deletes changes of accounts older than `beforeMs`, `limit` at most, but never the newest: a version is assigned once. Returns their number. */
export interface FeedChange {
  kind: 'forget';
  beforeMs: number;
  limit: number;
}

export interface ChangeFeedStore extends ChangeFeed {
  apply(change: FeedChange): Promise<number>;
}

/** The result is the number of webhooks or deliveries that were changed. */
export type WebhookChange =
  /** It receives later changes. `conflict` if there are `WEBHOOK_LIMITS.webhooks` already. */
  | { kind: 'create'; webhook: NewWebhook; stamp: Stamp }
  /** Absent fields stay unchanged. `not-found` */
  | {
      kind: 'update';
      id: string;
      url?: string | undefined;
      patterns?: readonly string[] | undefined;
      secret?: string | undefined;
      state?: 'active' | 'paused' | undefined;
      stamp: Stamp;
    }
  /** Deletes it with its pending deliveries. `not-found` */
  | { kind: 'remove'; id: string; stamp: Stamp }
  /** Sends one dead letter, or all, as if it had never been tried. `not-found` if the webhook or the letter does not exist. */
  | { kind: 'send-again'; id: string; version: bigint | undefined; nowMs: number; stamp: Stamp }
  /**
   * Leases a webhook to a node, or renews its lease: one node at a time sends to a webhook. A lease that ends more than twice `leaseMs` ahead was made with a
   * wrong clock, and is ignored. Returns 1, or 0 if another node has the lease or the webhook is not active.
   */
  | { kind: 'lease'; id: string; node: string; nowMs: number; leaseMs: number }
  /** Records the results of deliveries if this node has the lease. Otherwise returns 0, and nothing is changed. */
  | { kind: 'report'; id: string; node: string; report: DeliveryReport }
  /** Releases all leases of this node. */
  | { kind: 'release'; node: string };

export interface DeliveryReport {
  /** All changes up to this version were tried at least once. */
  lastVersion: bigint;
  delivered: readonly bigint[];
  failed: readonly FailedDelivery[];
  isGone: boolean;
}

/** Webhooks, and their failed deliveries. */
export interface WebhookStore {
  /** All webhooks, oldest first. */
  list(): Promise<readonly Webhook[]>;
  /** The deliveries that are due for a retry, earliest first. */
  listDue(id: string, nowMs: number, limit: number): Promise<readonly FailedDelivery[]>;
  /** The dead letters of a webhook after this version. */
  listDeadLetters(id: string, afterVersion: bigint, limit: number): Promise<readonly FailedDelivery[]>;
  apply(change: WebhookChange): Promise<number>;
}

export interface WebhookMessage {
  url: string;
  secret: string;
  /** The same for every attempt, so that a receiver can recognise a repetition. */
  id: string;
  /** Of this attempt. */
  atMs: number;
  body: string;
}

export type SendOutcome = { status: number } | { error: string };

export interface WebhookSender {
  /** The problem with a URL, as the end of a sentence; undefined for an allowed one. */
  refusalOf(url: string): string | undefined;
  /** Sends once, signed. @throws when it is aborted */
  send(message: WebhookMessage, signal: AbortSignal): Promise<SendOutcome>;
}
