import type { FoundProblem } from '../../domain/health/finding.ts';
import type { StoredRecord } from '../../domain/health/ports.ts';
import { openMail, storedMailIn } from '../../domain/settings/mail-settings.ts';
import type { SettingsEnvironment, SettingsProblem } from '../../domain/settings/ports.ts';

/** How the stored settings of each kind are read. */
const READERS: Readonly<Record<string, (record: StoredRecord, environment: SettingsEnvironment) => unknown>> = {
  'mail-settings'(record, environment) {
    const stored = storedMailIn(record);
    return typeof stored === 'object' ? openMail(stored, environment) : stored;
  },
};

const PROBLEMS = { invalid: 'setting-invalid', secret: 'setting-unreadable' } as const satisfies Record<
  SettingsProblem,
  FoundProblem['problem']
>;

/** The stored settings that are not used. */
export function findSettingsProblems(
  records: readonly StoredRecord[],
  environment: SettingsEnvironment,
): readonly FoundProblem[] {
  const results = records.map((record) => [record.kind, READERS[record.kind]?.(record, environment)] as const);
  return (['invalid', 'secret'] as const).flatMap((kind) => {
    const subjects = results.filter(([, result]) => result === kind).map(([name]) => name);
    return subjects.length === 0 ? [] : [{ problem: PROBLEMS[kind], count: subjects.length, subjects }];
  });
}
