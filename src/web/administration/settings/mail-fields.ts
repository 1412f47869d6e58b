import { queryOptions } from '@tanstack/react-query';
import type { ArgumentsOf, ResultOf } from '../../../api/documents/operation-types.ts';
import { client } from '../../service/client.ts';
import { ADMIN_KEY } from '../admin-queries.ts';

export type MailView = ResultOf<'getMailSettings'>;

type SentMail = ArgumentsOf<'updateMailSettings'>['body'];

export const SECURITIES = ['tls', 'starttls', 'none'] as const;
export type Security = (typeof SECURITIES)[number];

const PORTS = { tls: '465', starttls: '587', none: '25' } as const satisfies Record<Security, string>;

/** The values of the form. */
export interface MailFields {
  host: string;
  security: Security;
  port: string;
  username: string;
  password: string;
  from: string;
}

export const mailSettingsQuery = queryOptions({
  queryKey: [...ADMIN_KEY, 'mail-settings'],
  queryFn: async ({ signal }) => {
    const { value, etag } = await client.getMailSettings.response({}, { signal });
    return { settings: value, etag };
  },
});

export function fieldsOf({ host = '', port, security = 'tls', username = '', from = '' }: MailView): MailFields {
  return { host, security, port: port?.toString() ?? PORTS[security], username, password: '', from };
}

/** With the usual port of the new kind of connection, unless another one was chosen. */
export function withSecurity(fields: MailFields, security: Security): MailFields {
  const isUsual = fields.port === '' || fields.port === PORTS[fields.security];
  return { ...fields, security, port: isUsual ? PORTS[security] : fields.port };
}

/** @param isFromFixed whether the operator sets the sender */
export function bodyOf({ host, security, port, ...fields }: MailFields, isFromFixed: boolean): SentMail {
  const [username, password, from] = [fields.username.trim(), fields.password, fields.from.trim()];
  return {
    host: host.trim(),
    security,
    port: port.trim() === '' ? null : Number(port),
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(!isFromFixed && from !== '' && { from }),
  };
}
