import { canonicalText } from '../../../api/web/catalogue-search.ts';
import { FIELD_NAMES, isSame, type FieldName, type FormLabel, type PetFields } from './pet-fields.ts';

/*
 * Three-way merge of two changes of one pet: the common base, the form, and the stored version.
 */

export interface ThreeVersions {
  base: PetFields;
  mine: PetFields;
  theirs: PetFields;
}

export interface Comparison {
  /** Fields that only the other user changed; they can be taken over without a conflict. */
  onlyTheirs: readonly FieldName[];
  /** Fields that both users changed to different values. */
  overlapping: readonly FieldName[];
}

export function compareVersions({ base, mine, theirs }: ThreeVersions): Comparison {
  const theirChanges = FIELD_NAMES.filter((field) => !isSame(field, base, theirs));
  return {
    onlyTheirs: theirChanges.filter((field) => isSame(field, base, mine)),
    overlapping: theirChanges.filter((field) => !isSame(field, base, mine) && !isSameMeaning(field, mine, theirs)),
  };
}

/** A typed category has no ID yet, so it is compared by name. */
function isSameMeaning(field: FieldName, mine: PetFields, theirs: PetFields): boolean {
  if (isSame(field, mine, theirs)) return true;
  const [name, other] = [mine.category?.name, theirs.category?.name];
  const areNamed = field === 'category' && name !== undefined && other !== undefined;
  return areNamed && canonicalText(name) === canonicalText(other);
}

/** `both`: the tags that either user added, without those that either removed. */
export type Choice = 'mine' | 'theirs' | 'both';

export type Choices = Readonly<Partial<Record<FieldName, Choice>>>;

/** Merges the two changes. Only overlapping fields need a choice. */
export function mergeVersions(versions: ThreeVersions, choices: Choices = {}): PetFields {
  const { base, mine, theirs } = versions;
  const isTheirs = (field: FieldName) =>
    choices[field] === undefined
      ? isSame(field, base, mine) || isSameMeaning(field, mine, theirs)
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

/** Identifies a tag by its name, or by its ID if it has no name. */
export function tagKey({ id, name }: FormLabel): string {
  return name === undefined ? `#${id ?? ''}` : canonicalText(name);
}
