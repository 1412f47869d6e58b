import { Failure } from '../../../domain/failure.ts';
import { PET_ACTIONS } from '../../../domain/pets/pet-change.ts';
import { ACCOUNT_ACTIONS, publicEvent, typeOf, type ChangeEvent } from '../../../domain/events/change-event.ts';

/** `gone`: the receiver responded with 410. */
export const WEBHOOK_STATES = ['active', 'paused', 'gone'] as const;

export type WebhookState = (typeof WEBHOOK_STATES)[number];

export interface NewWebhook {
  id: string;
  url: string;
  /** Event types, `pet.*`, `account.*` or `*`. */
  patterns: readonly string[];
  /** `whsec_` and base64, as in Standard Webhooks. Stored in plain text, because it signs each delivery. */
  secret: string;
  /**
   * The origin of the service for the creator of the webhook: used for photo URLs, unless the public URL is configured.
   */
  origin: string;
  createdAtMs: number;
}

/** The secret before a rotation, which signs as well until the receiver has the new one. */
interface PreviousSecret {
  secret: string;
  untilMs: number;
}

/** A URL that receives events. */
export interface Webhook extends NewWebhook {
  /** Undefined without a rotation. One that has ended by itself may still be stored. */
  previousSecret: PreviousSecret | undefined;
  state: WebhookState;
  /** All events up to this version have been delivered, or are scheduled for a retry or dead. */
  lastVersion: bigint;
  /** The number of deliveries to retry. */
  waiting: number;
  /** When the first of them is due. */
  nextDueMs: number | undefined;
}

export interface FailedDelivery {
  version: bigint;
  attempts: number;
  nextAtMs: number;
  /** True for a dead letter, which is not retried automatically. */
  isDead: boolean;
  lastStatus: number | undefined;
  /** A short text without secrets. */
  lastError: string | undefined;
  lastAtMs: number;
}

/** Duration of a rotation that nobody ends: enough for the operator of the receiver to change its configuration. */
export const ROTATION_MS = 7 * 24 * 3_600_000;

/** The secrets that sign at this time, the current one first. */
export function signingSecrets({ secret, previousSecret }: Webhook, nowMs: number): readonly string[] {
  return previousSecret !== undefined && nowMs < previousSecret.untilMs ? [secret, previousSecret.secret] : [secret];
}

export const WEBHOOK_LIMITS = { webhooks: 100, urlLength: 2048, patterns: 50 } as const;

export const EVENT_PATTERNS: readonly string[] = [
  '*',
  'pet.*',
  'account.*',
  ...PET_ACTIONS.map((action) => `pet.${action}`),
  ...ACCOUNT_ACTIONS.map((action) => `account.${action}`),
];

/** The event as everyone may read it, with its author as well: an administrator has created the webhook. */
export function webhookEvent(event: ChangeEvent): ChangeEvent | undefined {
  const visible = publicEvent(event);
  return visible?.kind === 'pet' ? { ...visible, actorId: event.actorId } : visible;
}

export function matchesPatterns(event: ChangeEvent, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern === '*' || pattern === `${event.kind}.*` || pattern === typeOf(event));
}

/** A 256-bit token as a secret of Standard Webhooks. */
export function secretOf(token: string): string {
  return `whsec_${token.replaceAll('-', '+').replaceAll('_', '/')}=`;
}

export function webhookNotFound(): Failure {
  return new Failure('not-found', 'Webhook not found');
}

export function rotationInProgress(): Failure {
  return new Failure(
    'conflict',
    'The secret is being rotated: the previous one is still in use. End this rotation before you start another one.',
  );
}

export function letterNotFound(): Failure {
  return new Failure('not-found', 'Dead letter not found');
}
