import { MailSettings, SentMailSettings } from '../../records/settings/mail-settings.ts';
import { json, jsonBody, type OperationDescription } from '../parts/format.ts';
import { IF_MATCH } from '../parts/parameters.ts';
import { NOT_PROVED } from './sign-in.ts';

const CHANGED = 'The precondition failed: the settings have changed. Nothing was stored.';

/** Settings that administrators store in the database, for all nodes. */
export const SETTINGS_OPERATIONS = {
  getMailSettings: {
    group: 'administration',
    summary: 'Get the settings of e-mail',
    description: 'Returns the stored mail server, without its password, and the settings of the operator, which win.',
    responses: { 200: json(MailSettings, 'The settings.', 'ETag') },
  },
  updateMailSettings: {
    group: 'administration',
    summary: 'Update the settings of e-mail',
    description:
      'Replaces the stored mail server; without `host`, it is removed. All nodes use it within seconds. The password ' +
      'is stored encrypted. `testMail` sends a message with these settings.',
    headers: IF_MATCH,
    body: jsonBody(SentMailSettings),
    responses: { 200: json(MailSettings, 'The settings after the change.', 'ETag') },
    failures: {
      403: NOT_PROVED,
      409: 'The operator has set the mail server, or something is missing that only the operator can set',
      412: CHANGED,
    },
  },
} as const satisfies Record<string, OperationDescription>;
