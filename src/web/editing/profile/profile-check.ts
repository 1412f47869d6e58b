import { findProblems } from '../../../api/check.ts';
import { decimalProblem, PROFILE_LIMITS, SentProfile } from '../../../api/records/profile.ts';
import { isPlainField } from '../../../api/web/profile-definitions.ts';
import type { FieldProblem } from '../../../client/failures.ts';
import { isOwn, patchOf, typeOf, type InputName, type Inputs, type OwnField } from './profile-inputs.ts';

/*
 * Validates the changed fields of a profile with the schema of the service, and maps each problem to a rule whose
 * message can be translated.
 */

export interface ProfileProblem {
  /** Undefined if the form has no such field. */
  name: InputName | undefined;
  rule: 'number' | 'weight' | 'date' | 'future' | 'tooLong' | 'tooMany' | 'url' | 'currency' | 'ids' | 'other';
  /** The limit that was exceeded. */
  max: number;
  /** In English, from the service. */
  message: string;
}

export function problemsOf(before: Inputs, after: Inputs, own: readonly OwnField[]): readonly ProfileProblem[] {
  const patch = patchOf(before, after, own);
  return refusedProblems([...findProblems(SentProfile, patch), ...decimalProblems(patch), ...ownProblems(patch, own)]);
}

/** Problems that the service reported. Each field has one. */
export function refusedProblems(problems: readonly FieldProblem[]): readonly ProfileProblem[] {
  const byName = new Map(problems.map((problem) => [nameAt(problem.path), problem]));
  return [...byName].map(([name, { message }]) => ({ name, message, ...ruleOf(name, message) }));
}

/** `/colours/1` is about `colours`, and `/own/vaccine` about `own/vaccine`. */
function nameAt(path: string): InputName | undefined {
  const [, field = '', key = ''] = path.split('/');
  if (field === 'own' && key !== '') return `own/${key}`;
  return isPlainField(field) ? field : undefined;
}

type Rule = Pick<ProfileProblem, 'rule' | 'max'>;

function ruleOf(name: InputName | undefined, message: string): Rule {
  const other: Rule = { rule: 'other', max: 0 };
  if (message.includes('future')) return { rule: 'future', max: 0 };
  if (name === undefined) return other;
  if (isOwn(name)) return message === 'must be a number' ? { rule: 'number', max: 0 } : other;
  const [, maxLength] = /1 to (\d+) characters/.exec(message) ?? [];
  if (maxLength !== undefined) return { rule: 'tooLong', max: Number(maxLength) };
  if (name === 'weightKg') return { rule: 'weight', max: 0 };
  const type = typeOf(name);
  if (type === 'number' || type === 'date' || type === 'currency') return { rule: type, max: 0 };
  if (type === 'urls') return { rule: message.includes('list') ? 'tooMany' : 'url', max: PROFILE_LIMITS.videoUrls };
  if (type === 'pets') return { rule: message.includes('list') ? 'tooMany' : 'ids', max: PROFILE_LIMITS.bondedWith };
  if (type === 'list') return { rule: 'tooMany', max: PROFILE_LIMITS.colours };
  return other;
}

/** The service checks decimal places beside its schema. */
function decimalProblems(patch: object): readonly FieldProblem[] {
  return Object.entries(patch).flatMap(([name, value]) => {
    const message = decimalProblem(name, value);
    return message === undefined ? [] : [{ path: `/${name}`, message }];
  });
}

function ownProblems(patch: { own?: unknown }, fields: readonly OwnField[]): readonly FieldProblem[] {
  return Object.entries((patch.own ?? {}) as Readonly<Record<string, unknown>>).flatMap(([key, value]) => {
    const isWrong = typeof value === 'string' && fields.find((field) => field.key === key)?.type === 'number';
    return isWrong ? [{ path: `/own/${key}`, message: 'must be a number' }] : [];
  });
}
