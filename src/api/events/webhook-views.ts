import { typeOf, type ChangeEvent } from '../../domain/events/change-event.ts';
import type { SendOutcome } from '../../domain/events/ports.ts';
import type { FailedDelivery, Webhook } from '../../domain/events/webhook.ts';
import { recordText } from '../answers.ts';
import { eventText } from './event-views.ts';

/*
 * Webhooks as administrators see them: the fields by name, so that a secret can only slip out where it is meant to.
 */

export function webhookText(webhook: Webhook): string {
  return recordText(webhookView(webhook));
}

/** With the secret, which is shown this once. */
export function createdWebhookText(webhook: Webhook): string {
  return recordText({ ...webhookView(webhook), secret: webhook.secret });
}

function webhookView({ id, url, patterns, state, lastVersion, waiting, createdAtMs }: Webhook) {
  return { id, url, events: patterns, state, lastVersion, waiting, createdAt: time(createdAtMs) };
}

export function deadLetterText({ version, attempts, lastStatus, lastError, lastAtMs }: FailedDelivery): string {
  return recordText({
    id: version,
    attempts,
    lastStatus: lastStatus ?? null,
    lastError: lastError ?? null,
    lastAt: time(lastAtMs),
  });
}

export function webhookTestText(outcome: SendOutcome): string {
  const status = 'status' in outcome ? outcome.status : null;
  const error = 'error' in outcome ? outcome.error : null;
  return recordText({ delivered: status !== null && status >= 200 && status < 300, status, error });
}

/** What is sent of an event (https://www.standardwebhooks.com). */
export function webhookBody(event: ChangeEvent, origin: string): string {
  const timestamp = JSON.stringify(time(event.atMs));
  return `{"type":"${typeOf(event)}","timestamp":${timestamp},"data":${eventText(event, { origin, tellsWho: true })}}`;
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
