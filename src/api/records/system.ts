import type { Static } from 'typebox';
import { JOB_NAMES, JOB_STATES, SETTING_SOURCES, type Job, type SystemState } from '../../domain/system.ts';
import type { LoggedError } from '../../domain/log.ts';
import { MAIL_KINDS } from '../../domain/mail/mail.ts';
import type { DeadMail as DeadMessage, MailOutcome, MailQueueState } from '../../domain/mail/ports.ts';
import { JsonText, recordText } from './record-text.ts';
import * as Type from './type.ts';
import { count, exactly, int64, optionalTime, time, timeText } from './fields.ts';

export const SystemSetting = Type.Object(
  {
    name: Type.String({ description: 'The name of its flag, without dashes.' }),
    value: Type.String({ description: 'The value as it applies. Secrets are masked.' }),
    source: Type.Unsafe<(typeof SETTING_SOURCES)[number]>({
      type: 'string',
      enum: [...SETTING_SOURCES],
      description:
        'Where the value comes from. `file`: a file that a variable such as `MENAGERIE_DATABASE_URL_FILE` names. ' +
        '`credential`: of systemd.',
    }),
    origin: Type.String({ description: 'Such as `--port` or `MENAGERIE_PORT`; empty for a default.' }),
  },
  exactly('SystemSetting'),
);

const SystemJob = Type.Object(
  {
    name: Type.Unsafe<(typeof JOB_NAMES)[number]>({
      type: 'string',
      enum: [...JOB_NAMES],
      description: '`clearing` deletes expired data.',
    }),
    state: Type.Unsafe<(typeof JOB_STATES)[number]>({
      type: 'string',
      enum: [...JOB_STATES],
      description: '`never`: it has not run yet.',
    }),
    startedAt: Type.Optional(time('The start of the last run.')),
    durationMs: Type.Optional(count('The duration of the last run in milliseconds, if it has ended.')),
    nextStartAt: Type.Optional(time('The start of the next run. Absent if it runs on demand.')),
    error: Type.Optional(Type.String({ description: 'Why the last run failed.' })),
  },
  exactly('SystemJob'),
);

const SystemError = Type.Object(
  {
    at: time('The time of the error.'),
    message: Type.String({ description: 'The message of the log.' }),
    detail: Type.Optional(Type.String({ description: 'The name and the code of the error, or the reason.' })),
    operation: Type.Optional(Type.String({ description: 'The method and the path of the request, without values.' })),
    requestId: Type.Optional(Type.String({ description: 'The ID of the request, which the response also has.' })),
  },
  exactly('SystemError'),
);

/** The queue of e-mail, in the state of the service. */
export const MailState = Type.Object(
  {
    waiting: count('Messages that wait to be sent.'),
    unknown: count('Those of them whose kind only a later version of the service knows, which sends them.'),
    oldestAt: Type.Optional(time('When the oldest of them was queued.')),
    dead: count('Messages of the last 14 days that could not be sent.'),
    lastError: Type.Optional(Type.String({ description: 'The last response of the server to one of these messages.' })),
  },
  exactly('MailState'),
);
export type MailState = Type.Static<typeof MailState>;

export const DeadMail = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({
      description: `\`${Object.keys(MAIL_KINDS).join('`, `')}\`, or a kind that only a later version of the service knows.`,
    }),
    recipient: Type.String({ description: 'The address.' }),
    accountId: Type.Optional(int64('The account that it is about.')),
    createdAt: time('When it was queued.'),
    failedAt: time('When it was given up.'),
    attempts: count('The number of attempts.'),
    lastError: Type.Optional(Type.String({ description: 'The last response of the server, or why there was none.' })),
  },
  exactly('DeadMail'),
);
export type DeadMail = Type.Static<typeof DeadMail>;

export const MailTest = Type.Object(
  {
    sent: Type.Boolean({ description: 'Whether the server has accepted the message.' }),
    answer: Type.String({ description: 'The response of the server, or why there is none.' }),
  },
  exactly('MailTest'),
);
export type MailTest = Type.Static<typeof MailTest>;

export const System = Type.Object(
  {
    version: Type.String({ description: 'The version of the service.' }),
    nodeVersion: Type.String({ description: 'The version of Node.js.' }),
    startedAt: time('The start of the service.'),
    settings: Type.Array(SystemSetting, { description: 'All settings.' }),
    jobs: Type.Array(SystemJob, { description: 'The background jobs.' }),
    mail: Type.Optional(MailState),
    errors: Type.Array(SystemError, { description: 'The last 50 errors in the log since the start, newest first.' }),
  },
  exactly('System'),
);
export type System = Static<typeof System>;

/** @param mail undefined if the service sends no e-mail */
export function systemText(
  { version, nodeVersion, startedAtMs, settings, jobs, errors }: SystemState,
  mail: MailQueueState | undefined,
): string {
  return recordText<System>({
    version,
    nodeVersion,
    startedAt: timeText(startedAtMs),
    settings: settings.map(({ name, value, source, origin }) => ({ name, value, source, origin })),
    jobs: new JsonText(`[${jobs.map(jobText).join()}]`),
    mail: mail && new JsonText(mailStateText(mail)),
    errors: new JsonText(`[${errors.map(errorText).join()}]`),
  });
}

function jobText({ name, state, startedAtMs, durationMs, nextStartMs, error }: Job): string {
  return recordText<Static<typeof SystemJob>>({
    name,
    state,
    startedAt: optionalTime(startedAtMs),
    durationMs,
    nextStartAt: optionalTime(nextStartMs),
    error,
  });
}

function errorText({ atMs, message, detail, operation, requestId }: LoggedError): string {
  return recordText<Static<typeof SystemError>>({ at: timeText(atMs), message, detail, operation, requestId });
}

function mailStateText({ waiting, unknown, oldestAtMs, dead, lastError }: MailQueueState): string {
  const oldestAt = optionalTime(oldestAtMs);
  return recordText<MailState>({ waiting, unknown, oldestAt, dead, lastError });
}

export function deadMailText(mail: DeadMessage): string {
  const { id, kind, recipient, accountId, createdAtMs, failedAtMs, attempts, lastError } = mail;
  return recordText<DeadMail>({
    id,
    kind,
    recipient,
    accountId: accountId ?? undefined,
    createdAt: timeText(createdAtMs),
    failedAt: timeText(failedAtMs),
    attempts,
    lastError,
  });
}

export function mailTestText({ kind, answer }: MailOutcome): string {
  return recordText<MailTest>({ sent: kind === 'sent', answer });
}
