import { Failure } from '../failure.ts';
import { PET_ACTIONS } from '../pets/pet-change.ts';
import { ACCOUNT_ACTIONS, typeOf, type ChangeEvent } from './change-event.ts';

/** `gone`: the receiver answered 410. */
export const WEBHOOK_STATES = ['active', 'paused', 'gone'] as const;

export type WebhookState = (typeof WEBHOOK_STATES)[number];

export interface NewWebhook {
  /** The public id. */
  id: string;
  url: string;
  /** Event types, `pet.*`, `account.*` or `*`. */
  patterns: readonly string[];
  /** `whsec_` and base64, as in Standard Webhooks. Stored in plain, because it signs each delivery. */
  secret: string;
  /** The origin of the service when the webhook was created: for the URLs of photos, unless the public URL is configured. */
  origin: string;
  createdAtMs: number;
}

/** A URL that receives events. */
export interface Webhook extends NewWebhook {
  state: WebhookState;
  /** All events up to this version were sent, or are to be retried. */
  lastVersion: bigint;
  /** How many deliveries are to be retried, and when the first of them is due. */
  waiting: number;
  nextDueMs: number | undefined;
}

/** A delivery that failed. */
export interface FailedDelivery {
  version: bigint;
  attempts: number;
  nextAtMs: number;
  /** Not retried automatically. */
  isDead: boolean;
  lastStatus: number | undefined;
  /** Short, and without secrets. */
  lastError: string | undefined;
  lastAtMs: number;
}

export const WEBHOOK_LIMITS = { webhooks: 100, urlLength: 2048, patterns: 50 } as const;

/** The allowed patterns. */
export const EVENT_PATTERNS: readonly string[] = [
  '*',
  'pet.*',
  'account.*',
  ...PET_ACTIONS.map((action) => `pet.${action}`),
  ...ACCOUNT_ACTIONS.map((action) => `account.${action}`),
];

export function isAskedFor(event: ChangeEvent, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern === '*' || pattern === `${event.kind}.*` || pattern === typeOf(event));
}

/** The Standard Webhooks form of a token of 256 bits. */
export function secretOf(token: string): string {
  return `whsec_${token.replaceAll('-', '+').replaceAll('_', '/')}=`;
}

export function webhookNotFound(): Failure {
  return new Failure('not-found', 'Webhook not found');
}

export function letterNotFound(): Failure {
  return new Failure('not-found', 'Dead letter not found');
}
