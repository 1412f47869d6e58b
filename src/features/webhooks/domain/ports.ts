import type { Stamp } from '../../../domain/audit.ts';
import type { FailedDelivery, NewWebhook, Webhook } from './webhook.ts';

/* The store of webhooks, and what sends to them. `domain/ports.ts` has the rules for every store, and the errors. */

/** Returns the number of changed webhooks or deliveries. */
export type WebhookChange =
  /** The webhook receives later changes. @throws Failure `conflict` if there are `most` already */
  | { kind: 'create'; webhook: NewWebhook; most: number; stamp: Stamp }
  /** Absent fields stay unchanged. A secret replaces all others. @throws Failure `not-found` */
  | {
      kind: 'update';
      id: string;
      url?: string | undefined;
      patterns?: readonly string[] | undefined;
      secret?: string | undefined;
      state?: 'active' | 'paused' | undefined;
      stamp: Stamp;
    }
  /**
   * Replaces the secret; the previous one stays valid until `untilMs`.
   * @throws Failure `not-found`; `conflict` if there is a previous one that is valid
   */
  | { kind: 'rotate-secret'; id: string; secret: string; nowMs: number; untilMs: number; stamp: Stamp }
  /** Deletes the previous secret. @returns 0 if there is none @throws Failure `not-found` */
  | { kind: 'end-rotation'; id: string; stamp: Stamp }
  /** Deletes the previous secrets that are no longer valid. */
  | { kind: 'forget-secrets'; nowMs: number }
  /** Deletes the webhook with its pending deliveries. @throws Failure `not-found` */
  | { kind: 'delete'; id: string; stamp: Stamp }
  /**
   * Schedules one dead letter, or all, as if never tried.
   * @throws Failure `not-found` if the webhook or the dead letter does not exist
   */
  | { kind: 'retry'; id: string; version: bigint | undefined; nowMs: number; stamp: Stamp }
  /**
   * Leases a webhook to a node, or renews its lease: only the node with the lease sends to a webhook. A lease that ends
   * more than twice `leaseMs` in the future was made with a wrong clock, and is ignored. Returns 1, or 0 if another
   * node has the lease or the webhook is not active.
   */
  | { kind: 'lease'; id: string; node: string; nowMs: number; leaseMs: number }
  /** Records the results of deliveries. Returns 0, and changes nothing, if this node does not have the lease. */
  | { kind: 'report'; id: string; node: string; report: DeliveryReport }
  | { kind: 'release'; node: string };

export interface DeliveryReport {
  /** All changes up to this version have been tried at least once. */
  lastVersion: bigint;
  delivered: readonly bigint[];
  failed: readonly FailedDelivery[];
  /** The receiver responded with 410. */
  isGone: boolean;
}

export interface WebhookStore {
  /** All webhooks, oldest first. */
  list(): Promise<readonly Webhook[]>;
  /** At most `limit` deliveries that are due for a retry, earliest first. */
  listDue(id: string, nowMs: number, limit: number): Promise<readonly FailedDelivery[]>;
  /** At most `limit` dead letters of a webhook after this version. */
  listDeadLetters(id: string, afterVersion: bigint, limit: number): Promise<readonly FailedDelivery[]>;
  apply(change: WebhookChange): Promise<number>;
}

export interface WebhookMessage {
  url: string;
  /** Each signs the message. */
  secrets: readonly string[];
  /** The same in every attempt and for every webhook: a receiver recognizes an event that it has processed. */
  id: string;
  /** The time of this attempt. */
  atMs: number;
  body: string;
}

/** `retryAfterMs`: how long the receiver wants no further attempt. */
export type SendOutcome = { status: number; retryAfterMs?: number } | { error: string };

export interface WebhookSender {
  /** The reason why a URL is refused, as the predicate of a sentence; undefined if it is allowed. */
  refusalOf(url: string): string | undefined;
  /** Signs and sends a message once. Network errors are an outcome. @throws Error only if the signal is aborted */
  send(message: WebhookMessage, signal: AbortSignal): Promise<SendOutcome>;
  /** Closes idle connections. */
  close(): void;
}
