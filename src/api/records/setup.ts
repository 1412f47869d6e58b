import type { Static } from 'typebox';
import { ACCESS_MODES, type AccessMode } from '../../domain/access.ts';
import { requireUsername } from '../../domain/accounts/username-rules.ts';
import { canonicalUsername } from '../../domain/accounts/user.ts';
import type { SetupRequest } from '../../domain/setup/setup.ts';
import * as Type from './type.ts';
import { absent, countryCode, text } from './fields.ts';
import { SentUsername } from './user.ts';

const MAX_TOKEN_LENGTH = 200;
const MAX_PASSWORD_LENGTH = 1024;
const MAX_PATH_LENGTH = 4096;

/* The form of the setup page. It is not part of the API: the service has it only before its first administrator. */

export const SentSetup = Type.Object(
  {
    token: text(MAX_TOKEN_LENGTH),
    username: SentUsername,
    password: text(MAX_PASSWORD_LENGTH),
    access: absent(
      Type.Unsafe<AccessMode>({
        type: 'string',
        enum: [...ACCESS_MODES],
        message: `must be one of ${ACCESS_MODES.join(', ')}`,
      }),
    ),
    samples: absent(Type.Unsafe<boolean>({ type: 'boolean', message: 'must be true or false' })),
    backupTo: absent(text(MAX_PATH_LENGTH)),
    country: absent(countryCode('The country of the organisation.')),
  },
  { title: 'SentSetup', message: 'must be a JSON object' },
);
export type SentSetup = Static<typeof SentSetup>;

/** @throws Failure `invalid-input` */
export function readSetup({ token, username, password, access, samples, backupTo, country }: SentSetup): SetupRequest {
  const name = canonicalUsername(username);
  requireUsername(name, '/username');
  const settings = {
    access: access ?? undefined,
    samples: samples ?? undefined,
    backupTo: backupTo === '' ? undefined : (backupTo ?? undefined),
    country: country ?? undefined,
  };
  return { token, username: name, password, settings };
}
