import type { FieldProblem } from '../../client/failures.ts';
import { PLAIN_TEXT } from '../../api/records/fields.ts';
import { PET_LIMITS, SentPet } from '../../api/records/pet.ts';
import { findProblems } from '../../api/check.ts';
import type { FieldName, FormLabel, PetFields } from './pet-fields.ts';

/*
 * Checks the fields of the form against the schema of the service, and finds the rule behind each problem, so that its message can be translated.
 */

const plainText = new RegExp(PLAIN_TEXT);

export interface Problem {
  /** Undefined if the form has no such field; only the message is shown then. */
  field: FieldName | 'photoUrls' | undefined;
  rule: 'missing' | 'tooLong' | 'characters' | 'tooMany' | 'other';
  /** From the service, in English. */
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

/** The pet as it is sent, without ids: these come from stored pets, and the schema does not know bigints. */
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
  const [, place, part] = path.split('/');
  if (place === 'name') return { field: place, rule: ruleOfName(fields.name), message };
  if (place === 'category') return { field: place, rule: ruleOfText(fields.category?.name), message };
  if (place === 'tags' && part === undefined) return { field: place, rule: 'tooMany', message };
  if (place === 'tags') {
    const tag = fields.tags[Number(part)]?.name ?? '';
    return { field: place, rule: ruleOfText(tag), message, tag };
  }
  if (place === 'photoUrls') return { field: place, rule: 'tooMany', message };
  return { field: place === 'status' ? place : undefined, rule: 'other', message };
}

function ruleOfName(name: string): Problem['rule'] {
  return name.trim() === '' ? 'missing' : ruleOfText(name);
}

/** The rule that an invalid text breaks. All texts of the form have the same maximum length. */
function ruleOfText(text = ''): Problem['rule'] {
  if (!plainText.test(text)) return 'characters';
  return text.length > PET_LIMITS.nameLength ? 'tooLong' : 'other';
}
