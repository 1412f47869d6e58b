import { USER_STATUS_CLOSED } from '../../domain/accounts/user.ts';
import type { Stamp } from '../../domain/audit.ts';
import { Failure } from '../../domain/failure.ts';
import { statement } from './statements.ts';
import { ask, type Steps } from './steps.ts';

const isUnchanged = `account.role = $3 and account.user_status is distinct from ${USER_STATUS_CLOSED}`;
const bySession = statement(
  `select 1 from session join account on account.id = account_id where account_id = $1 and session.id = $2 and ${isUnchanged}`,
);
const byKey = statement(
  `select 1 from api_key join account on account.id = account_id where account_id = $1 and api_key.id = $2 and ${isUnchanged}`,
);

/**
 * Checks inside the transaction of a change that the session or key of its stamp is still valid. A request is
 * authenticated by its header, and its body may take minutes to arrive: meanwhile the session may have ended, the key
 * been revoked, or the account been closed or given another role.
 */
export function* isCredentialValid({ via, actorId, credentialId, actorRole }: Stamp): Steps<boolean> {
  if (via !== 'session' && via !== 'key') return true;
  return (yield* ask(via === 'session' ? bySession : byKey, actorId, credentialId, actorRole)).length > 0;
}

/** @throws Failure `unauthenticated` */
export function* requireCredential(stamp: Stamp): Steps<void> {
  if (!(yield* isCredentialValid(stamp))) throw credentialEnded();
}

export function credentialEnded(): Failure {
  return new Failure('unauthenticated', 'Your permissions changed during the request. Log in again.');
}
