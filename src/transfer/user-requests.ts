import type { Account } from '../api/records/account.ts';
import { MenagerieError, type Client } from '../client/client.ts';
import { DEFAULT_ROLE } from '../domain/access.ts';
import { withImport, otherRole, profileIn, type ImportedUser } from '../domain/accounts/imported-user.ts';
import type { User } from '../domain/accounts/user.ts';

const NOT_FOUND = 404;

/**
 * Stores a user with the requests of an administrator, as `Administration.importUser` does. The role of a new user is a
 * second request.
 *
 * @throws Failure `conflict` for another role than that of the existing user; MenagerieError, NetworkError
 */
export async function storeUser(
  client: Client,
  imported: ImportedUser,
  isDryRun: boolean,
): Promise<'created' | 'updated'> {
  const { user, role } = imported;
  const existing = await findUser(client, user.username);
  if (existing === undefined) {
    if (isDryRun) return 'created';
    await client.createUser({ body: bodyOf(user) });
    if (role !== undefined && role !== DEFAULT_ROLE)
      await client.setUserRole({ username: user.username, body: { role } });
    return 'created';
  }
  if (role !== undefined && role !== existing.role) throw otherRole(existing.role);
  const changed = withImport(existing, imported);
  const isSame =
    JSON.stringify(profileIn(changed)) === JSON.stringify(profileIn(existing)) && changed.id === existing.id;
  if (!isDryRun && !isSame) await client.updateUser({ username: existing.username, body: bodyOf(changed) });
  return 'updated';
}

async function findUser(client: Client, username: string): Promise<Account | undefined> {
  try {
    return await client.getUserAsAdmin({ username });
  } catch (error) {
    if (error instanceof MenagerieError && error.status === NOT_FOUND) return undefined;
    throw error;
  }
}

/** Without undefined fields, which JSON omits anyway. */
function bodyOf(user: Omit<User, 'id'> & { id?: bigint | undefined; password?: string | undefined }) {
  return Object.fromEntries(Object.entries(user).filter(([, value]) => value !== undefined)) as typeof user & {
    [Field in keyof typeof user]: NonNullable<(typeof user)[Field]>;
  };
}
