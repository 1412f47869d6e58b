import type { Factor } from '../../../domain/access.ts';
import { secondFactorsOf, type FactorUse } from '../../../domain/accounts/factors.ts';
import type { Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { queueAlert } from '../mail/mail-rows.ts';
import { statement } from '../statements.ts';
import { ask, send, type Steps } from '../steps.ts';

const hasStep = statement('select 1 from sign_in_step where digest = $1 and expires_at_ms > $2');
const endStep = statement('delete from sign_in_step where digest = $1');
const hasUsed = statement('select 1 from sign_in_step where digest = $1');
const insertUsed = statement(
  `insert into sign_in_step (digest, kind, details, expires_at_ms) values ($1, 'used-challenge', '{}', $2)`,
);
const isNewStep = statement('select 1 from totp where account_id = $1 and last_step < $2');
const useTotp = statement('update totp set last_step = $2 where account_id = $1 and last_step < $2');
const hasCode = statement('select 1 from recovery_code where account_id = $1 and digest = $2 and used_at_ms is null');
const useCode = statement('update recovery_code set used_at_ms = $3 where account_id = $1 and digest = $2');
// Some authenticators do not count. The counter of the others always grows, unless two have the same key (WebAuthn,
// section 6.1.1).
const isNewCount = statement(
  'select 1 from passkey where id = $1 and (counter < $2::int8 or (counter = 0 and $2::int8 = 0))',
);
const usePasskey = statement('update passkey set counter = $2, last_used_at_ms = $3 where id = $1');
const factorsOf = statement(
  `select (select count(*) from totp where account_id = $1),
     (select count(*) from recovery_code where account_id = $1 and used_at_ms is null),
     (select count(*) from passkey where account_id = $1)`,
);

/**
 * Call before the first write of the transaction, since those before a failure would be committed.
 * @throws Failure `conflict` if one of the factors was used or deleted since it was checked
 */
export function* requireUsable(uses: readonly FactorUse[], { atMs }: Stamp): Steps<void> {
  for (const use of uses) if (!(yield* isUsable(use, atMs))) throw usedBefore();
}

function* isUsable(use: FactorUse, atMs: number): Steps<boolean> {
  if (use.kind === 'challenge') return atMs < use.expiresAtMs && (yield* ask(hasUsed, use.digest)).length === 0;
  return (yield* usableRows(use, atMs)).length > 0;
}

function usableRows(
  use: Exclude<FactorUse, { kind: 'challenge' }>,
  atMs: number,
): Steps<readonly (readonly unknown[])[]> {
  switch (use.kind) {
    case 'step':
      return ask(hasStep, use.digest, atMs);
    case 'totp':
      return ask(isNewStep, use.accountId, use.step);
    case 'recovery-code':
      return ask(hasCode, use.accountId, use.digest);
    case 'passkey':
      break;
  }
  return ask(isNewCount, use.id, use.counter);
}

/** Records the uses, after `requireUsable`. */
export function* recordUses(uses: readonly FactorUse[], stamp: Stamp): Steps<void> {
  for (const use of uses) yield* recordUse(use, stamp);
}

function* recordUse(use: FactorUse, stamp: Stamp): Steps<void> {
  switch (use.kind) {
    case 'step':
      yield* send(endStep, use.digest);
      break;
    case 'challenge':
      yield* send(insertUsed, use.digest, use.expiresAtMs);
      break;
    case 'totp':
      yield* send(useTotp, use.accountId, use.step);
      break;
    case 'recovery-code':
      yield* send(useCode, use.accountId, use.digest, stamp.atMs);
      yield* queueAlert(use.accountId, 'recovery-code-used', stamp);
      break;
    case 'passkey':
      yield* send(usePasskey, use.id, use.counter, stamp.atMs);
      break;
  }
}

/** The second factors of an account; none if it has none. */
export function* readSecondFactors(accountId: bigint): Steps<readonly Factor[]> {
  const [[totp, codes, passkeys] = [0n, 0n, 0n]] = yield* ask<[totp: bigint, codes: bigint, passkeys: bigint]>(
    factorsOf,
    accountId,
  );
  return secondFactorsOf({ totps: Number(totp), codesLeft: Number(codes), passkeys: Number(passkeys) });
}

const forgetSteps = statement('delete from sign_in_step where account_id = $1');

/** What was begun with a password or a factor that the account no longer has must not be completed. */
export function* forgetStepsOf(accountId: bigint): Steps<void> {
  yield* send(forgetSteps, accountId);
}

function usedBefore(): Failure {
  return new Failure('conflict', 'This was used before, or has expired. Start again.');
}
