import type { ArgumentsOf } from '../../api/operation-types.ts';
import type { PetStatus, PetView } from '../service/queries.ts';

/*
 * What can be typed in the form, and what is sent of it. The pictures of a pet are no part of it: each is changed by itself, at once.
 */

/** A category or a tag. Its id stands as its digits, so that all of it can be kept as JSON. */
export interface FormLabel {
  id?: string;
  name?: string;
}

export interface PetFields {
  name: string;
  category: FormLabel | null;
  tags: readonly FormLabel[];
  status: PetStatus | null;
}

export type FieldName = keyof PetFields;

/** In the order of the form. */
export const FIELD_NAMES = ['name', 'status', 'category', 'tags'] as const satisfies readonly FieldName[];

/** Most pets that come in are to be given away: that much is typed already. */
export const NEW_PET: PetFields = { name: '', category: null, tags: [], status: 'available' };

export function fieldsOf({ name, category, tags, status }: PetView): PetFields {
  return {
    name,
    category: category === undefined ? null : formLabelOf(category),
    tags: (tags ?? []).map(formLabelOf),
    status: status ?? null,
  };
}

function formLabelOf({ id, name }: { id?: bigint; name?: string }): FormLabel {
  return { ...(id !== undefined && { id: String(id) }), ...(name !== undefined && { name }) };
}

export function isSame(field: FieldName, one: PetFields, other: PetFields): boolean {
  return JSON.stringify(one[field]) === JSON.stringify(other[field]);
}

export function changedFields(before: PetFields, after: PetFields): readonly FieldName[] {
  return FIELD_NAMES.filter((field) => !isSame(field, before, after));
}

/** Without the spaces at the ends that nobody means. What was there before stays as it was. */
export function tidied(fields: PetFields, before: PetFields): PetFields {
  const { category } = fields;
  const name = category?.name?.trim();
  const isEmptied = category !== null && category.id === undefined && (name ?? '') === '';
  return {
    ...fields,
    name: isSame('name', fields, before) ? fields.name : fields.name.trim(),
    category:
      isSame('category', fields, before) || category === null
        ? category
        : isEmptied
          ? null
          : { ...category, ...(name !== undefined && { name }) },
  };
}

/** What is typed for a category. What was there before is that one, with its id; one that only had an id is given its name. */
export function typedCategory(text: string, before: FormLabel | null): FormLabel | null {
  if (text === (before?.name ?? '')) return before;
  if (text === '') return null;
  return before?.name === undefined && before?.id !== undefined ? { id: before.id, name: text } : { name: text };
}

export type NewPetBody = ArgumentsOf<'addPet'>['body'];
export type PetPatchBody = ArgumentsOf<'patchPet'>['body'];

type SentLabel = Extract<NonNullable<NewPetBody['category']>, object>;

const sentLabel = ({ id, name }: FormLabel): SentLabel => ({
  ...(id !== undefined && { id: BigInt(id) }),
  ...(name !== undefined && { name }),
});

export function newPetBody({ name, category, tags, status }: PetFields): NewPetBody {
  return {
    name,
    ...(category !== null && { category: sentLabel(category) }),
    tags: tags.map(sentLabel),
    ...(status !== null && { status }),
  };
}

/** A merge patch of what has changed, and of nothing else. */
export function petPatchBody(before: PetFields, after: PetFields): PetPatchBody {
  const changed = new Set(changedFields(before, after));
  const { name, category, tags, status } = after;
  return {
    ...(changed.has('name') && { name }),
    // A category is merged into the one that is there: without this, it would keep the id of another.
    ...(changed.has('category') && { category: category && { id: null, ...sentLabel(category) } }),
    ...(changed.has('tags') && { tags: tags.map(sentLabel) }),
    ...(changed.has('status') && { status }),
  };
}
