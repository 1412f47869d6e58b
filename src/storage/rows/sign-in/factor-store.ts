import type {
  AccountFactors,
  FactorChange,
  FactorStore,
  Passkey,
  SignInStep,
} from '../../../domain/accounts/factors.ts';
import { rowOf } from '../row.ts';
import { statement } from '../statements.ts';
import type { Reads, StoreDeps } from '../steps.ts';

type TotpRow = [secret: string, lastStep: bigint, createdAtMs: bigint];

type CodesRow = [total: bigint, left: bigint];

const PASSKEY = rowOf<Passkey>({
  id: ['text', 'passkey.id'],
  accountId: 'bigint',
  credential: 'text',
  userHandle: 'text',
  publicKey: 'text',
  counter: 'number',
  transports: 'words',
  isSynced: 'flag',
  name: 'text',
  createdAtMs: 'number',
  lastUsedAtMs: 'number?',
});

const STEP = rowOf<SignInStep>({
  digest: 'text',
  kind: 'text',
  accountId: 'bigint?',
  details: 'json',
  expiresAtMs: 'number',
});

const totpOf = statement('select secret, last_step, created_at_ms from totp where account_id = $1');
// `count` with a filter would not use an index either: an account has ten codes at most.
const codesOf = statement('select count(*), count(*) - count(used_at_ms) from recovery_code where account_id = $1');
const passkeysOf = statement(
  `select ${PASSKEY.columns} from passkey where account_id = $1 order by created_at_ms, passkey.id`,
);
const byCredential = statement(
  `select username, ${PASSKEY.columns} from passkey join account on account.id = account_id where credential = $1`,
);
const stepBy = statement(`select ${STEP.columns} from sign_in_step where digest = $1`);

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
      this.#reads.ask(passkeysOf, accountId),
    ]);
    const [total = 0n, left = 0n] = codes ?? [];
    return {
      totp: totp && { secret: totp[0], lastStep: Number(totp[1]), createdAtMs: Number(totp[2]) },
      recoveryCodes: { total: Number(total), left: Number(left) },
      passkeys: passkeys.map(PASSKEY.read),
    };
  }

  async findPasskey(credential: string): Promise<(Passkey & { username: string }) | undefined> {
    const [row] = await this.#reads.ask<[username: string, ...unknown[]]>(byCredential, credential);
    if (row === undefined) return undefined;
    const [username, ...passkey] = row;
    return { username, ...PASSKEY.read(passkey) };
  }

  async findStep(digest: string): Promise<SignInStep | undefined> {
    return (await this.#reads.ask(stepBy, digest)).map(STEP.read)[0];
  }

  apply(change: FactorChange): Promise<number> {
    return this.#apply(change);
  }
}
