import { Failure } from '../failure.ts';
import { PET_ACTIONS } from '../pets/pet-change.ts';
import { ACCOUNT_ACTIONS, typeOf, type ChangeEvent } from './change-event.ts';

/** `gone`: whoever is there has said that nothing more is wanted. */
export const WEBHOOK_STATES = ['active', 'paused', 'gone'] as const;

export type WebhookState = (typeof WEBHOOK_STATES)[number];

export interface NewWebhook {
  /** Its public name. */
  id: string;
  url: string;
  /** Types of events: whole ones, `pet.*`, `account.*` or `*`. */
  patterns: readonly string[];
  /** `whsec_` and base64, as Standard Webhooks has it. It signs, so it is kept as it is. */
  secret: string;
  /** Where the service was reached when the webhook was made: what pictures are told by, where nothing else says. */
  origin: string;
  createdAtMs: number;
}

/** An address that is told of changes. */
export interface Webhook extends NewWebhook {
  state: WebhookState;
  /** Up to this change, all was sent or waits to be sent again. */
  lastVersion: bigint;
  /** How many wait to be sent again, and when the first of them is due. */
  waiting: number;
  nextDueMs: number | undefined;
}

/** What could not be delivered. */
export interface FailedDelivery {
  version: bigint;
  attempts: number;
  nextAtMs: number;
  /** Not tried again by itself. */
  isDead: boolean;
  lastStatus: number | undefined;
  /** In a few words, without anything secret. */
  lastError: string | undefined;
  lastAtMs: number;
}

export const WEBHOOK_LIMITS = { webhooks: 100, urlLength: 2048, patterns: 50 } as const;

/** What may be asked for. */
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

/** A secret as Standard Webhooks has it, of a token of 256 bits. */
export function secretOf(token: string): string {
  return `whsec_${token.replaceAll('-', '+').replaceAll('_', '/')}=`;
}

export function webhookNotFound(): Failure {
  return new Failure('not-found', 'Webhook not found');
}

export function letterNotFound(): Failure {
  return new Failure('not-found', 'Dead letter not found');
}
