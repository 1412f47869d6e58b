import type { Stamp } from '../audit.ts';
import type { ChangeEvent } from './change-event.ts';
import type { FailedDelivery, NewWebhook, Webhook } from './webhook.ts';

/* What events need of the world. `domain/ports.ts` says what every store promises. */

/**
 * The changes of pets and accounts, as their transactions wrote them: what can be read here has happened, and what has happened can be read here.
 * Whoever has read up to a number has read all there ever will be up to it. What is too old to be told of accounts is not there any more.
 */
export interface ChangeFeed {
  /** The number of the last change; 0 where there is none. Cheap enough to be asked many times a second. */
  lastVersion(): Promise<bigint>;
  /**
   * The changes after this one, by their numbers, `limit` at most; fewer where their texts are long, one at least. None means that there are no more at
   * this moment.
   */
  list(afterVersion: bigint, limit: number): Promise<readonly ChangeEvent[]>;
}

/** Forgets changes of accounts older than `beforeMs`, so many at most, and never the newest: numbers are given once. The outcome is how many. */
export interface FeedChange {
  kind: 'forget';
  beforeMs: number;
  limit: number;
}

export interface ChangeFeedStore extends ChangeFeed {
  apply(change: FeedChange): Promise<number>;
}

/** The outcome is how many it was done to. */
export type WebhookChange =
  /** It is told of what comes from now on. `conflict` where there are `WEBHOOK_LIMITS.webhooks` already. */
  | { kind: 'create'; webhook: NewWebhook; stamp: Stamp }
  /** What is absent stays as it is. `not-found` */
  | {
      kind: 'update';
      id: string;
      url?: string | undefined;
      patterns?: readonly string[] | undefined;
      secret?: string | undefined;
      state?: 'active' | 'paused' | undefined;
      stamp: Stamp;
    }
  /** With all that waits to be sent to it. `not-found` */
  | { kind: 'remove'; id: string; stamp: Stamp }
  /** One dead letter, or all, as if they had never been tried. `not-found` where there is no such webhook, or no such letter. */
  | { kind: 'send-again'; id: string; version: bigint | undefined; nowMs: number; stamp: Stamp }
  /**
   * Takes a webhook in hand for so long, or goes on having it: one node at a time has it. A lease that ends further ahead than twice as long was made by
   * a wrong clock, and counts for nothing. The outcome is 1, or 0 where it is another's, or not active.
   */
  | { kind: 'lease'; id: string; node: string; nowMs: number; leaseMs: number }
  /** What became of deliveries, as long as the webhook is this node's: else the outcome is 0, and nothing is changed. */
  | { kind: 'report'; id: string; node: string; report: DeliveryReport }
  /** Whatever this node has in hand is for others to take. */
  | { kind: 'release'; node: string };

export interface DeliveryReport {
  /** Up to here, nothing is left to be sent for the first time. */
  lastVersion: bigint;
  delivered: readonly bigint[];
  failed: readonly FailedDelivery[];
  isGone: boolean;
}

/** Addresses that are told of changes, and what could not be delivered to them. */
export interface WebhookStore {
  /** All there are, the oldest first. */
  list(): Promise<readonly Webhook[]>;
  /** What is to be sent again by this time, the earliest first. */
  listDue(id: string, nowMs: number, limit: number): Promise<readonly FailedDelivery[]>;
  /** Of one webhook, after this version. */
  listDeadLetters(id: string, afterVersion: bigint, limit: number): Promise<readonly FailedDelivery[]>;
  apply(change: WebhookChange): Promise<number>;
}

export interface WebhookMessage {
  url: string;
  secret: string;
  /** The same for every attempt: by it, a receiver knows what it has had already. */
  id: string;
  /** Of this attempt. */
  atMs: number;
  body: string;
}

export type SendOutcome = { status: number } | { error: string };

export interface WebhookSender {
  /** What is wrong with an address, if anything is, as the end of a sentence. */
  refusalOf(url: string): string | undefined;
  /** Sends once, signed. @throws when it is aborted */
  send(message: WebhookMessage, signal: AbortSignal): Promise<SendOutcome>;
}
