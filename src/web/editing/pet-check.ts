import type { FieldProblem } from '../../client/failures.ts';
import { PET_LIMITS, PLAIN_TEXT, SentPet } from '../../api/pet-schemas.ts';
import { findProblems } from '../../api/web/page-check.ts';
import type { FieldName, FormLabel, PetFields } from './pet-fields.ts';

/*
 * What is wrong with what stands in the form, by the schema of the service; and which rule it is, so that it can be told in the reader's language.
 */

const plainText = new RegExp(PLAIN_TEXT);

/** The field is undefined where it is none of the form: the message is then all that there is to say. */
export interface Problem {
  field: FieldName | 'photoUrls' | undefined;
  rule: 'missing' | 'tooLong' | 'characters' | 'tooMany' | 'other';
  /** In the words of the service. */
  message: string;
  /** The tag that it is about. */
  tag?: string;
}

export function problemsOf(fields: PetFields): readonly Problem[] {
  return toldProblems(findProblems(SentPet, wireForm(fields)), fields);
}

/** Of what the service has refused. */
export function toldProblems(problems: readonly FieldProblem[], fields: PetFields): readonly Problem[] {
  return problems.map((problem) => toldProblem(problem, fields));
}

/** As it is sent, but for the ids: they come from pets that are there already, and as bigints no schema knows them. */
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

function toldProblem({ path, message }: FieldProblem, fields: PetFields): Problem {
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

/** What is left of the schema's rules for a text, once it is known to break one. All texts of the form may have the same length. */
function ruleOfText(text = ''): Problem['rule'] {
  if (!plainText.test(text)) return 'characters';
  return text.length > PET_LIMITS.nameLength ? 'tooLong' : 'other';
}
