import type { MailOutcome, MailQueueState } from '../../domain/mail/ports.ts';
import { count, exactly, time, timeText } from './fields.ts';
import { recordText } from './record-text.ts';
import * as Type from './type.ts';

/** The queue of e-mail, in the state of the service. */
export const MailState = Type.Object(
  {
    waiting: count('Messages that wait to be sent.'),
    oldestAt: Type.Optional(time('When the oldest of them was queued.')),
    dead: count('Messages of the last 14 days that could not be sent.'),
    lastError: Type.Optional(Type.String({ description: 'The last response of the server to one of these messages.' })),
  },
  exactly('MailState'),
);
export type MailState = Type.Static<typeof MailState>;

export const MailTest = Type.Object(
  {
    sent: Type.Boolean({ description: 'Whether the server has accepted the message.' }),
    answer: Type.String({ description: 'The response of the server, or why there is none.' }),
  },
  exactly('MailTest'),
);
export type MailTest = Type.Static<typeof MailTest>;

export function mailStateText({ waiting, oldestAtMs, dead, lastError }: MailQueueState): string {
  const oldestAt = oldestAtMs === undefined ? undefined : timeText(oldestAtMs);
  return recordText<MailState>({ waiting, oldestAt, dead, lastError });
}

export function mailTestText({ kind, answer }: MailOutcome): string {
  return recordText<MailTest>({ sent: kind === 'sent', answer });
}
