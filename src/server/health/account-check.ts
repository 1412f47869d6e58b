import { ROLES } from '../../domain/access.ts';
import { findUsernameFault } from '../../domain/accounts/username-rules.ts';
import { MIN_INT64 } from '../../domain/int64.ts';
import { problemOf, type DatabaseContext, type HealthCheck } from './check.ts';

const ACCOUNTS_PER_BATCH = 1000;

/** Roles and user names that another program wrote, or a version with other rules. */
export const accountCheck: HealthCheck<DatabaseContext> = {
  name: 'accounts',
  async find({ database }) {
    const unknownRoles: string[] = [];
    const invalidNames: string[] = [];
    for (let after: bigint | undefined = MIN_INT64; after !== undefined;) {
      const accounts = await database.listAccounts(after, ACCOUNTS_PER_BATCH);
      for (const { username, role } of accounts) {
        if (!ROLES.some((known) => known === role)) unknownRoles.push(`${username} (${role})`);
        if (findUsernameFault(username) !== undefined) invalidNames.push(username);
      }
      after = accounts.at(-1)?.id;
    }
    return [...problemOf('account-role-unknown', unknownRoles), ...problemOf('account-name-invalid', invalidNames)];
  },
};
