import type {
  AccountFactors,
  FactorChange,
  FactorStore,
  Passkey,
  SignInStep,
} from '../../../domain/accounts/factors.ts';
import { statement } from '../statements.ts';
import type { Reads, StoreDeps } from '../steps.ts';

type TotpRow = [secret: string, lastStep: bigint, createdAtMs: bigint];

type CodesRow = [total: bigint, left: bigint];

type PasskeyRow = [
  id: string,
  accountId: bigint,
  credential: string,
  userHandle: string,
  publicKey: string,
  counter: bigint,
  transports: string,
  isSynced: bigint,
  name: string,
  createdAtMs: bigint,
  lastUsedAtMs: bigint | null,
];

type StepRow = [digest: string, kind: string, accountId: bigint | null, details: string, expiresAtMs: bigint];

const PASSKEY_COLUMNS =
  'passkey.id, account_id, credential, user_handle, public_key, counter, transports, is_synced, name, created_at_ms, last_used_at_ms';

const totpOf = statement('select secret, last_step, created_at_ms from totp where account_id = $1');
// `count` with a filter would not use an index either: an account has ten codes at most.
const codesOf = statement('select count(*), count(*) - count(used_at_ms) from recovery_code where account_id = $1');
const passkeysOf = statement(
  `select ${PASSKEY_COLUMNS} from passkey where account_id = $1 order by created_at_ms, passkey.id`,
);
const byCredential = statement(
  `select username, ${PASSKEY_COLUMNS} from passkey join account on account.id = account_id where credential = $1`,
);
const stepBy = statement('select digest, kind, account_id, details, expires_at_ms from sign_in_step where digest = $1');

export class SqlFactorStore implements FactorStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<FactorChange, number>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async listOf(accountId: bigint): Promise<AccountFactors> {
    const [[totp], [codes], passkeys] = await Promise.all([
      this.#reads.ask<TotpRow>(totpOf, accountId),
      this.#reads.ask<CodesRow>(codesOf, accountId),
      this.#reads.ask<PasskeyRow>(passkeysOf, accountId),
    ]);
    const [total = 0n, left = 0n] = codes ?? [];
    return {
      totp: totp && { secret: totp[0], lastStep: Number(totp[1]), createdAtMs: Number(totp[2]) },
      recoveryCodes: { total: Number(total), left: Number(left) },
      passkeys: passkeys.map(toPasskey),
    };
  }

  async findPasskey(credential: string): Promise<(Passkey & { username: string }) | undefined> {
    const [row] = await this.#reads.ask<[username: string, ...PasskeyRow]>(byCredential, credential);
    if (row === undefined) return undefined;
    const [username, ...passkey] = row;
    return { username, ...toPasskey(passkey) };
  }

  async findStep(digest: string): Promise<SignInStep | undefined> {
    const [row] = await this.#reads.ask<StepRow>(stepBy, digest);
    if (row === undefined) return undefined;
    const [, kind, accountId, details, expiresAtMs] = row;
    return {
      digest,
      kind,
      accountId: accountId ?? undefined,
      details: JSON.parse(details) as SignInStep['details'],
      expiresAtMs: Number(expiresAtMs),
    };
  }

  apply(change: FactorChange): Promise<number> {
    return this.#apply(change);
  }
}

function toPasskey(row: PasskeyRow): Passkey {
  const [id, accountId, credential, userHandle, publicKey, counter, transports, isSynced, name, ...times] = row;
  const [createdAtMs, lastUsedAtMs] = times;
  return {
    id,
    accountId,
    credential,
    userHandle,
    publicKey,
    counter: Number(counter),
    transports: transports === '' ? [] : transports.split(' '),
    isSynced: isSynced === 1n,
    name,
    createdAtMs: Number(createdAtMs),
    lastUsedAtMs: lastUsedAtMs === null ? undefined : Number(lastUsedAtMs),
  };
}
