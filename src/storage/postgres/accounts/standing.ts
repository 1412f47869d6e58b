import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import type { Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { statement } from '../engine/statements.ts';
import type { Transaction } from '../engine/transactions.ts';

const standing = `account.role = $3 and account.user_status is distinct from ${USER_STATUS_CLOSED}`;
const bySession = statement(
  `select 1 from session join account on account.id = account_id where account_id = $1 and session.id = $2 and ${standing}`,
);
const byKey = statement(
  `select 1 from api_key join account on account.id = account_id where account_id = $1 and api_key.id = $2 and ${standing}`,
);

/**
 * Is whoever does this still who they were when they were let in? A request is let in by its header, and its body may take minutes: in between, a
 * session may have ended, a key been revoked, an account been closed or given another role. Asked inside the transaction of the change, so that
 * what was taken away is not used afterwards.
 */
export async function isStanding(
  { via, actorId, credentialId, actorRole }: Stamp,
  { ask }: Transaction,
): Promise<boolean> {
  if (via !== 'session' && via !== 'key') return true;
  return (await ask(via === 'session' ? bySession : byKey, actorId, credentialId, actorRole)).length > 0;
}

/** @throws Failure `unauthenticated` */
export async function demandStanding(stamp: Stamp, transaction: Transaction): Promise<void> {
  if (!(await isStanding(stamp, transaction))) throw notStanding();
}

export function notStanding(): Failure {
  return new Failure('unauthenticated', 'What you may do has changed while this was on its way. Log in again.');
}
