import { FIELD_NAMES, isSame, type FieldName, type FormLabel, type PetFields } from '../pet-fields.ts';

/*
 * Two people have changed one pet: what it was, what the other made of it, what stands in the form.
 */

export interface ThreeVersions {
  base: PetFields;
  mine: PetFields;
  theirs: PetFields;
}

export interface Comparison {
  /** What only the other has changed: taken over, it costs nobody anything. */
  onlyTheirs: readonly FieldName[];
  /** What both have changed, to something else each. */
  overlapping: readonly FieldName[];
}

export function compareVersions({ base, mine, theirs }: ThreeVersions): Comparison {
  const theirChanges = FIELD_NAMES.filter((field) => !isSame(field, base, theirs));
  return {
    onlyTheirs: theirChanges.filter((field) => isSame(field, base, mine)),
    overlapping: theirChanges.filter((field) => !isSame(field, base, mine) && !isMeantTheSame(field, mine, theirs)),
  };
}

/** Of a category that was typed, the id is not known yet. */
function isMeantTheSame(field: FieldName, mine: PetFields, theirs: PetFields): boolean {
  if (isSame(field, mine, theirs)) return true;
  const name = mine.category?.name;
  return field === 'category' && name !== undefined && name.trim() === theirs.category?.name;
}

/** `both`: of tags, what either has added, without what either has removed. */
export type Choice = 'mine' | 'theirs' | 'both';

export type Choices = Readonly<Partial<Record<FieldName, Choice>>>;

/** What the form holds then; what only one has changed needs no choice. */
export function mergeVersions(versions: ThreeVersions, choices: Choices = {}): PetFields {
  const { base, mine, theirs } = versions;
  const isTheirs = (field: FieldName) =>
    choices[field] === undefined
      ? isSame(field, base, mine) || isMeantTheSame(field, mine, theirs)
      : choices[field] === 'theirs';
  const pick = <F extends FieldName>(field: F): PetFields[F] => (isTheirs(field) ? theirs : mine)[field];
  return {
    name: pick('name'),
    status: pick('status'),
    category: pick('category'),
    tags: choices.tags === 'both' ? mergeTags(versions) : pick('tags'),
  };
}

function mergeTags({ base, mine, theirs }: ThreeVersions): readonly FormLabel[] {
  const kept = theirs.tags.filter((tag) => has(mine.tags, tag) || !has(base.tags, tag));
  const added = mine.tags.filter((tag) => !has(base.tags, tag) && !has(theirs.tags, tag));
  return [...kept, ...added];
}

function has(tags: readonly FormLabel[], tag: FormLabel): boolean {
  return tags.some((each) => tagKey(each) === tagKey(tag));
}

/** By which a tag is known: its name, or where it has none its id. */
export function tagKey({ id, name }: FormLabel): string {
  return name ?? `#${id ?? ''}`;
}
