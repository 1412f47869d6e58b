import type { DatabaseSync } from 'node:sqlite';
import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import type { Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { prepareRows } from '../engine/database.ts';

/**
 * Checks inside the transaction of a change that the session or key of its stamp is still valid. A request is
 * authenticated by its header, and its body may take minutes to arrive: meanwhile the session may have ended, the key
 * been revoked, or the account been closed or given another role.
 *
 * @returns a function that throws Failure `unauthenticated`
 */
export function prepareCredentialCheck(db: DatabaseSync): (stamp: Stamp) => void {
  const isUnchanged = `account.role = ?3 and account.user_status is not ${USER_STATUS_CLOSED}`;
  const bySession = prepareRows(
    db,
    `select 1 from session join account on account.id = account_id where account_id = ?1 and session.id = ?2 and ${isUnchanged}`,
  );
  const byKey = prepareRows(
    db,
    `select 1 from api_key join account on account.id = account_id where account_id = ?1 and api_key.id = ?2 and ${isUnchanged}`,
  );
  return ({ via, actorId, credentialId, actorRole }) => {
    if (via !== 'session' && via !== 'key') return;
    const find = via === 'session' ? bySession : byKey;
    if (find(actorId, credentialId, actorRole).length > 0) return;
    throw new Failure('unauthenticated', 'Your permissions changed during the request. Log in again.');
  };
}
