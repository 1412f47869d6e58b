import type { DatabaseSync } from 'node:sqlite';
import type { Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { inTransaction } from './database.ts';

/*
 * A restored database has the data of the backup and the access rights of the present: keys that were revoked,
 * passwords that were changed and accounts that were closed since the backup must not be valid again.
 */

/** Of an account. The present rows replace those of the backup. */
const CREDENTIALS = [
  'confirmed_email',
  'totp',
  'recovery_code',
  'passkey',
  'provider_login',
  'oauth_client',
  'api_key',
] as const;

/** Links, logins, and messages that were sent since. */
const ENDED = ['session', 'email_confirmation', 'password_reset', 'mail'] as const;

/** Tables with events since the backup, and tables that are in no backup and not derived from others. */
export const KEPT_BY_RESTORES = ['audit', 'idempotent_request', 'certificate', 'certificate_challenge'] as const;

const SAME_ACCOUNT =
  'select here.id from main.account as here join present.account as there on there.id = here.id and there.public_id = here.public_id';

export interface RestoredAccess {
  /** The audit entry of the restore. */
  stamp: Stamp;
  backup: string;
  /** The session that continues: the one that restores. */
  sessionId: string | null;
  /** Whether the restored database needs an administrator who can log in. */
  needsAdministrator: boolean;
}

/**
 * Changes a restored database, before it is used, by one in use of the same schema.
 * @throws Failure `conflict` if no present administrator is in the backup
 */
export function applyPresentAccess(
  db: DatabaseSync,
  presentPath: string,
  { stamp, backup, sessionId, needsAdministrator }: RestoredAccess,
): void {
  db.prepare('attach ? as present').run(presentPath);
  try {
    db.exec('pragma foreign_keys = off');
    inTransaction(db, () => {
      for (const table of ENDED) db.exec(`delete from main.${table}`);
      for (const table of CREDENTIALS) {
        db.exec(`delete from main.${table}`);
        db.exec(
          `insert into main.${table} select * from present.${table} where account_id in (${SAME_ACCOUNT}) and account_id is not null`,
        );
      }
      for (const table of KEPT_BY_RESTORES)
        db.exec(`delete from main.${table}; insert into main.${table} select * from present.${table}`);
      db.exec(`update main.account as mine set (password_hash, role, user_status) =
          (select password_hash, role, user_status from present.account where id = mine.id)
        where id in (${SAME_ACCOUNT})`);
      // Deleted since: without a way to log in, until an administrator sends an invitation.
      db.exec(`update main.account set password_hash = null, user_status = 3 where id not in (${SAME_ACCOUNT})`);
      db.prepare(
        `insert into main.session select * from present.session where id = ? and account_id in (${SAME_ACCOUNT})`,
      ).run(sessionId);
      continueNumbers(db);
      addEntry(db, stamp, backup);
      const [administrators] = Object.values(
        db.prepare(`select count(*) from main.account where role = 'admin' and id in (${SAME_ACCOUNT})`).get() ?? {},
      );
      if (needsAdministrator && administrators === 0)
        throw new Failure(
          'conflict',
          'No present administrator is in this backup, so nobody could log in. Restore it with the command menagerie restore.',
        );
    });
  } finally {
    db.exec('detach present');
  }
}

/** IDs are never used again, not even those of pets and accounts that are not in the backup. */
function continueNumbers(db: DatabaseSync): void {
  db.exec(`update main.next_id set id = max(id, coalesce((select id from present.next_id where kind = main.next_id.kind), 0));
    insert or ignore into main.used_account_id select id from present.used_account_id;
    update main.sqlite_sequence set seq = (select seq from present.sqlite_sequence where name = 'audit') where name = 'audit'`);
}

function addEntry(db: DatabaseSync, stamp: Stamp, backup: string): void {
  const { atMs, via, actorId, actorName, credentialId, address } = stamp;
  db.prepare(
    `insert into main.audit (at_ms, via, actor_id, actor_name, credential_id, address, action, subject_kind, subject_id, outcome)
     values (?, ?, ?, ?, ?, ?, 'backup.restored', 'backup', ?, 'done')`,
  ).run(atMs, via, actorId, actorName, credentialId, address, backup);
}
