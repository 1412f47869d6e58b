import type { DatabaseSync } from 'node:sqlite';
import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import type { Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { prepareRows } from '../engine/database.ts';

/**
 * Is whoever does this still who they were when they were let in? A request is let in by its header, and its body may take minutes: in between, a
 * session may have ended, a key been revoked, an account been closed or given another role. Asked inside the transaction of the change, so that
 * what was taken away is not used afterwards.
 *
 * @throws Failure `unauthenticated`
 */
export function createStandingCheck(db: DatabaseSync): (stamp: Stamp) => void {
  const standing = `account.role = ?3 and account.user_status is not ${USER_STATUS_CLOSED}`;
  const bySession = prepareRows(
    db,
    `select 1 from session join account on account.id = account_id where account_id = ?1 and session.id = ?2 and ${standing}`,
  );
  const byKey = prepareRows(
    db,
    `select 1 from api_key join account on account.id = account_id where account_id = ?1 and api_key.id = ?2 and ${standing}`,
  );
  return ({ via, actorId, credentialId, actorRole }) => {
    if (via !== 'session' && via !== 'key') return;
    const find = via === 'session' ? bySession : byKey;
    if (find(actorId, credentialId, actorRole).length > 0) return;
    throw new Failure('unauthenticated', 'What you may do has changed while this was on its way. Log in again.');
  };
}
