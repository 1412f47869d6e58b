import type { FactorStore, FactorUse } from '../accounts/factors.ts';
import type { Tokens } from '../accounts/ports.ts';
import type { Clock } from '../ports.ts';
import type { OneTimeCodes } from './ports.ts';

interface CodeCheckDeps {
  factors: Pick<FactorStore, 'listOf'>;
  oneTimeCodes: Pick<OneTimeCodes, 'stepOf'>;
  tokens: Tokens;
  clock: Clock;
}

/** The factors that are proved by a code that the owner types. */
export const CODE_FACTORS = ['totp', 'recovery-code'] as const;

export type CodeFactor = (typeof CODE_FACTORS)[number];

/** Checks codes of an authenticator app, and recovery codes. */
export class CodeCheck {
  readonly #deps: CodeCheckDeps;

  constructor(deps: CodeCheckDeps) {
    this.#deps = deps;
  }

  /** Returns the use of the factor, which the store checks again; undefined for a wrong code. */
  async findUse(accountId: bigint, factor: CodeFactor, code: string): Promise<FactorUse | undefined> {
    const { factors, oneTimeCodes, tokens, clock } = this.#deps;
    // The store knows whether the account has such a code.
    if (factor === 'recovery-code')
      return { kind: 'recovery-code', accountId, digest: tokens.digest(canonicalCode(code)) };
    const { totp } = await factors.listOf(accountId);
    const step = totp && (await oneTimeCodes.stepOf(totp.secret, code, clock()));
    return step === undefined ? undefined : { kind: 'totp', accountId, step };
  }
}

/** The form of a recovery code whose digest is stored. */
export function canonicalCode(code: string): string {
  return code
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}
