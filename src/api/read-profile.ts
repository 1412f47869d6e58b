import { invalidInput, type FieldProblem } from '../domain/failure.ts';
import type { Profile, ProfileEdit } from '../domain/pets/profile.ts';
import { isCurrency } from '../domain/organisation/organisation.ts';
import { isDate } from '../domain/organisation/own-values.ts';
import { canonicalText } from '../domain/text.ts';
import { readId } from './read-bodies.ts';
import type { SentProfile } from './records/profile.ts';

/*
 * Converts profiles in bodies, in which ids may be numbers or digits, to domain objects. The bodies have passed their
 * schema; what a schema cannot express is checked here.
 */

/** The texts by which pets are found, or which are compared. */
const COMPARED = ['breedPrimary', 'breedSecondary', 'pattern', 'location', 'unit', 'microchip', 'externalId'] as const;

const DATES = ['birthDate', 'intakeDate', 'holdUntil'] as const;

const AMOUNTS = ['weightKg', 'feeAmount'] as const;

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
  for (const name of COMPARED) readText(edit, name, problems);
  for (const name of AMOUNTS) checkAmount(sent[name], `/${name}`, problems);
  for (const name of DATES) checkDate(sent[name], `/${name}`, problems);
  if (sent.feeCurrency && !isCurrency(sent.feeCurrency))
    problems.push({ path: '/feeCurrency', message: 'must be the code of a currency, such as EUR' });
  if (bondedWith === null) edit['bondedWith'] = null;
  else if (bondedWith !== undefined)
    edit['bondedWith'] = bondedWith.map(({ id }, index) => ({ id: readId(id, `/bondedWith/${index}/id`, problems) }));
  if (problems.length > 0) throw invalidInput(problems.map((problem) => ({ ...problem, path: path + problem.path })));
  return edit;
}

function readText(edit: Record<string, unknown>, name: string, problems: FieldProblem[]): void {
  const sent = edit[name];
  if (typeof sent !== 'string') return;
  edit[name] = canonicalText(sent);
  if (edit[name] === '') problems.push({ path: `/${name}`, message: 'must have a character that is no space' });
}

/** A schema cannot express it: 19.99 is no multiple of 0.01 in binary. */
function checkAmount(sent: number | null | undefined, path: string, problems: FieldProblem[]): void {
  if (typeof sent === 'number' && Number(sent.toFixed(2)) !== sent)
    problems.push({ path, message: 'must have at most two decimal places' });
}

/** The date must exist: the schema accepts 2026-02-30. */
function checkDate(sent: string | null | undefined, path: string, problems: FieldProblem[]): void {
  if (typeof sent !== 'string') return;
  if (!isDate(sent)) problems.push({ path, message: 'must be a date that exists, such as 2026-11-26' });
}
