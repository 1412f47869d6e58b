import { invalidInput, type FieldProblem } from '../domain/failure.ts';
import { isCurrency } from '../domain/organisation/organisation.ts';
import {
  PLAIN_FIELDS,
  PROFILE_DEFINITIONS,
  type FieldType,
  type PlainField,
  type Profile,
  type ProfileEdit,
} from '../domain/pets/profile.ts';
import { isDate } from '../domain/organisation/own-values.ts';
import { canonicalText } from '../domain/text.ts';
import { readId } from './read-bodies.ts';
import { decimalProblem, type SentProfile } from './records/profile.ts';

/*
 * Converts profiles in bodies, in which ids may be numbers or digits, to domain objects. The bodies have passed their
 * schema; what a schema cannot express is checked here.
 */

/**
 * @param path where the body has the profile, as a JSON Pointer
 * @throws Failure `invalid-input`
 */
export function readProfile(sent: SentProfile, path = ''): Profile {
  const edit = readProfileEdit(sent, path);
  const own = Object.entries(edit.own ?? {}).filter(([, value]) => value !== null);
  const fields = Object.entries(edit).filter(([name, value]) => value !== null && name !== 'own');
  return {
    ...(Object.fromEntries(fields) as Profile),
    ...(own.length > 0 && { own: Object.fromEntries(own) as never }),
  };
}

/**
 * A merge patch of a profile (RFC 7396).
 *
 * @param path as in `readProfile`
 * @throws Failure `invalid-input`
 */
export function readProfileEdit({ bondedWith, ...sent }: SentProfile, path = ''): ProfileEdit {
  const problems: FieldProblem[] = [];
  const edit: Record<string, unknown> = { ...sent };
  for (const name of PLAIN_FIELDS) readField(edit, name, problems);
  if (bondedWith === null) edit['bondedWith'] = null;
  else if (bondedWith !== undefined)
    edit['bondedWith'] = bondedWith.map(({ id }, index) => ({ id: readId(id, `/bondedWith/${index}/id`, problems) }));
  if (problems.length > 0) throw invalidInput(problems.map((problem) => ({ ...problem, path: path + problem.path })));
  return edit;
}

function readField(edit: Record<string, unknown>, name: PlainField, problems: FieldProblem[]): void {
  const sent = edit[name];
  const { type } = PROFILE_DEFINITIONS[name];
  // Pets are found by these texts, or the texts are compared.
  if (typeof sent === 'string' && (type === 'line' || type === 'breed' || type === 'location'))
    edit[name] = canonicalText(sent);
  const message = decimalProblem(name, edit[name]) ?? textProblem(type, edit[name]);
  if (message !== undefined) problems.push({ path: `/${name}`, message });
}

function textProblem(type: FieldType, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  // The schema accepts a space.
  if (value === '') return 'must have a character that is no space';
  // The schema accepts 2026-02-30.
  if (type === 'date' && !isDate(value)) return 'must be a date that exists, such as 2026-11-26';
  if (type === 'currency' && !isCurrency(value)) return 'must be the code of a currency, such as EUR';
  return undefined;
}
