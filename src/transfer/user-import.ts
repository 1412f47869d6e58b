import { readNewUser } from '../api/read-bodies.ts';
import type { SentRole } from '../api/records/account.ts';
import type { SentUser } from '../api/records/user.ts';
import { MenagerieError } from '../client/client.ts';
import type { ImportedUser } from '../domain/accounts/imported-user.ts';
import { usernameKey } from '../domain/accounts/user.ts';
import { Failure, type FieldProblem } from '../domain/failure.ts';
import { failedRow, skippedRow, type Import, type RowResult } from './row-result.ts';
import { invalidFields, type RowProblem, type SourceRow } from './source-row.ts';
import { UnusableFile } from './unusable-file.ts';

interface UserImportDeps {
  checks: { user: (value: unknown) => SentUser; role: (value: unknown) => SentRole };
  /** Stores a user, or only checks it in a dry run. @throws Failure, MenagerieError */
  store: (user: ImportedUser, isDryRun: boolean) => Promise<'created' | 'updated'>;
}

/** Statuses that concern one row only. */
const ROW_STATUSES: ReadonlySet<number> = new Set([400, 409]);

/** Imports users one by one, matched by user name. Each is stored completely or not at all. */
export class UserImport implements Import {
  readonly keylessRows = 0;
  readonly renames = 0;
  readonly similarLabels = [];
  readonly newNames = { categories: [], locations: [] };
  readonly #deps: UserImportDeps;
  /** The first row of each user name. */
  readonly #rows = new Map<string, number>();

  constructor(deps: UserImportDeps) {
    this.#deps = deps;
  }

  addRow({ number, fields, value }: SourceRow): void {
    if (!fields.has('username'))
      throw new UnusableFile('The file has no column username.', 'no-match-column', 'username');
    const key = keyOf(value);
    if (key !== undefined && !this.#rows.has(key)) this.#rows.set(key, number);
  }

  async prepare(): Promise<void> {}

  tryRow(row: SourceRow): Promise<RowResult> {
    return this.#take(row, true);
  }

  async *run(rows: AsyncIterable<SourceRow>, signal?: AbortSignal): AsyncGenerator<RowResult, void, void> {
    for await (const row of rows) {
      if (signal?.aborted) return;
      yield await this.#take(row, false);
    }
  }

  async #take(row: SourceRow, isDryRun: boolean): Promise<RowResult> {
    const { number, fields, value, problems, leftOut } = row;
    if (leftOut !== undefined) return skippedRow(number, leftOut);
    if (problems.length > 0) return failedRow(number, problems);
    const first = this.#rows.get(keyOf(value) ?? '');
    if (first !== undefined && first !== number)
      return failedRow(number, [{ kind: 'repeated', column: 'username', message: `is the same as in row ${first}` }]);
    try {
      const user = readNewUser(this.#deps.checks.user(value));
      const { role } = 'role' in value ? this.#deps.checks.role(value) : {};
      const outcome = await this.#deps.store({ user, role, fields }, isDryRun);
      return { row: number, outcome, id: undefined, problems: [] };
    } catch (error) {
      if (error instanceof Failure) return failedRow(number, problemsOf(error, error.details.problems, value));
      if (error instanceof MenagerieError && ROW_STATUSES.has(error.status))
        return failedRow(number, problemsOf(error, error.errors, value));
      throw error;
    }
  }
}

function keyOf({ username }: SourceRow['value']): string | undefined {
  return typeof username === 'string' ? usernameKey(username) : undefined;
}

function problemsOf(
  { message }: Error,
  problems: readonly FieldProblem[] = [],
  value: SourceRow['value'] = {},
): readonly RowProblem[] {
  if (problems.length === 0) return [{ kind: 'refused', message }];
  return invalidFields(problems, (path) => path.split('/').at(-1) ?? '', value);
}
