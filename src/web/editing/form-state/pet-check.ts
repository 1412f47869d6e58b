import type { FieldProblem } from '../../../client/failures.ts';
import { PLAIN_TEXT } from '../../../api/records/fields.ts';
import { PET_LIMITS } from '../../../api/records/pet.ts';
import { SentPet } from '../../../api/records/sent-pet.ts';
import { findProblems } from '../../../api/check.ts';
import type { FieldName, FormLabel, PetFields } from './pet-fields.ts';

/*
 * Validates the fields of the form with the schema of the service, and maps each problem to a rule whose message can be
 * translated.
 */

const plainText = new RegExp(PLAIN_TEXT);

export interface Problem {
  /** Undefined if the form has no such field; then only the message is shown. */
  field: FieldName | 'photoUrls' | undefined;
  rule: 'missing' | 'tooLong' | 'characters' | 'tooMany' | 'other';
  /** In English, from the service. */
  message: string;
  /** The name of the invalid tag. */
  tag?: string;
}

export function problemsOf(fields: PetFields): readonly Problem[] {
  return refusedProblems(findProblems(SentPet, wireForm(fields)), fields);
}

/** Problems that the service reported. */
export function refusedProblems(problems: readonly FieldProblem[], fields: PetFields): readonly Problem[] {
  return problems.map((problem) => problemOf(problem, fields));
}

/** The pet as it is sent, without IDs: they come from stored pets, and the schema does not accept bigints. */
function wireForm({ name, category, tags, status }: PetFields): unknown {
  return {
    name,
    ...(category !== null && { category: wireLabel(category) }),
    tags: tags.map(wireLabel),
    ...(status !== null && { status }),
  };
}

function wireLabel({ name }: FormLabel): { name: string | undefined } {
  return { name };
}

function problemOf({ path, message }: FieldProblem, fields: PetFields): Problem {
  const [, field, index] = path.split('/');
  if (field === 'name') return { field, rule: ruleOfName(fields.name), message };
  if (field === 'category') return { field, rule: ruleOfText(fields.category?.name), message };
  if (field === 'tags' && index === undefined) return { field, rule: 'tooMany', message };
  if (field === 'tags') {
    const tag = fields.tags[Number(index)]?.name ?? '';
    return { field, rule: ruleOfText(tag), message, tag };
  }
  if (field === 'photoUrls') return { field, rule: 'tooMany', message };
  return { field: field === 'status' ? field : undefined, rule: 'other', message };
}

function ruleOfName(name: string): Problem['rule'] {
  return name.trim() === '' ? 'missing' : ruleOfText(name);
}

/** The rule that an invalid text breaks. All texts of the form have the same maximum length. */
function ruleOfText(text = ''): Problem['rule'] {
  if (!plainText.test(text)) return 'characters';
  return text.length > PET_LIMITS.nameLength ? 'tooLong' : 'other';
}
