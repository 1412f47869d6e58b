import {
  MAIL_SECURITIES,
  MAIL_SETTINGS_LIMITS,
  type MailSecurity,
  type SentMail,
} from '../../../domain/settings/mail-settings.ts';
import type { MailSettingsView } from '../../../domain/settings/settings-administration.ts';
import { absent, exactly, int32, nonEmptyText } from '../fields.ts';
import { recordText } from '../record-text.ts';
import { SystemSetting } from '../system.ts';
import * as Type from '../type.ts';

/* Settings that administrators store in the database. */

const LIMITS = MAIL_SETTINGS_LIMITS;

const security = Type.Unsafe<MailSecurity>({
  type: 'string',
  enum: [...MAIL_SECURITIES],
  description: '`tls`: encrypted from the beginning; `starttls`: upgraded before anything is sent; `none`.',
  message: `must be one of ${MAIL_SECURITIES.join(', ')}`,
});

const PROBLEMS = ['invalid', 'secret'] as const;

/** Fields that all stored settings have. */
export const STORED_SETTINGS = {
  fixed: Type.Array(SystemSetting, {
    description: 'Settings of flags, variables and the config file. They win, and cannot be changed here.',
  }),
  problem: Type.Optional(
    Type.Unsafe<(typeof PROBLEMS)[number]>({
      type: 'string',
      enum: [...PROBLEMS],
      description:
        'Why the stored settings are not used. `secret`: the key does not open their secrets, which have to be ' +
        'entered again.',
    }),
  ),
};

export const MailSettings = Type.Object(
  {
    host: Type.Optional(Type.String({ description: 'The mail server. Absent if none is stored.' })),
    port: Type.Optional(int32('Its port.')),
    security: Type.Optional(security),
    username: Type.Optional(Type.String({ description: 'The user name at the server, if it asks for one.' })),
    hasPassword: Type.Boolean({ description: 'Whether a password is stored. It is never returned.' }),
    from: Type.Optional(Type.String({ description: 'The address of the sender.' })),
    ...STORED_SETTINGS,
    missing: Type.Array(Type.String(), {
      description: 'The names of settings that only the operator can set, and without which e-mail cannot be sent.',
    }),
  },
  exactly('MailSettings'),
);
export type MailSettings = Type.Static<typeof MailSettings>;

export const SentMailSettings = Type.Object(
  {
    host: absent(nonEmptyText(LIMITS.host)),
    port: absent(
      Type.Unsafe<number>({ type: 'integer', minimum: 1, maximum: 65_535, message: 'must be from 1 to 65535' }),
      'By default, 465 for `tls` and 587 otherwise.',
    ),
    security: absent(security),
    username: absent(nonEmptyText(LIMITS.text)),
    password: absent(
      nonEmptyText(LIMITS.text),
      'If it is absent, the stored one stays, unless the server or the user name changes.',
    ),
    from: absent(nonEmptyText(LIMITS.text), 'The address of the sender.'),
  },
  { title: 'SentMailSettings', message: 'must be a JSON object with the settings of a mail server' },
);
export type SentMailSettings = Type.Static<typeof SentMailSettings>;

/** @returns undefined without a server */
export function readMailSettings({ host, port, from, username, password, ...sent }: SentMailSettings) {
  if (typeof host !== 'string') return undefined;
  const chosen = sent.security ?? 'tls';
  return {
    host: host.trim(),
    port: port ?? (chosen === 'tls' ? 465 : 587),
    security: chosen,
    username: username ?? undefined,
    password: password ?? undefined,
    from: from?.trim(),
  } satisfies SentMail;
}

export function mailSettingsText({ stored, problem, fixed, missing }: MailSettingsView): string {
  const { host, port, security: kind, username, password, from } = stored ?? {};
  return recordText<MailSettings>({
    host,
    port,
    security: kind,
    username,
    hasPassword: password !== undefined,
    from,
    problem,
    fixed: [...fixed],
    missing: [...missing],
  });
}
