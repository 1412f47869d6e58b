import type { ArgumentsOf } from '../../../api/documents/operation-types.ts';
import { canonicalText } from '../../../api/web/catalogue-search.ts';
import type { PetStatus, PetView } from '../../service/queries.ts';

/*
 * The fields of the form, and their conversion to requests. Photos are not among them: each change of a photo is saved
 * immediately.
 */

/** A category or a tag. The ID is a string of digits, so that a draft can be stored as JSON. */
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

/** The default status is `available`, as for most new pets. */
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

/** Trims changed texts. Unchanged ones stay as they are stored. */
export function tidied(fields: PetFields, before: PetFields): PetFields {
  const { category } = fields;
  const name = category?.name === undefined ? undefined : canonicalText(category.name);
  const isEmptied = category !== null && category.id === undefined && (name ?? '') === '';
  return {
    ...fields,
    name: isSame('name', fields, before) ? fields.name : canonicalText(fields.name),
    category:
      isSame('category', fields, before) || category === null
        ? category
        : isEmptied
          ? null
          : { ...category, ...(name !== undefined && { name }) },
  };
}

/**
 * The category for a typed text. Typing the previous name restores the previous category with its ID; a category that
 * has only an ID gets the name.
 */
export function typedCategory(text: string, before: FormLabel | null): FormLabel | null {
  // Spaces stay: more may be typed after them.
  if (text.normalize('NFC') === (before?.name ?? '').normalize('NFC')) return before;
  if (text === '') return null;
  return before?.name === undefined && before?.id !== undefined ? { id: before.id, name: text } : { name: text };
}

export type NewPetBody = ArgumentsOf<'addPet'>['body'];
export type PetPatchBody = ArgumentsOf<'patchPet'>['body'];
export type ProfileBody = NonNullable<PetPatchBody['profile']>;

/** The texts of the controls of a profile, by their names. */
export type ProfileTexts = Readonly<Partial<Record<string, string>>>;

type SentLabel = Extract<NonNullable<NewPetBody['category']>, object>;

const sentLabel = ({ id, name }: FormLabel): SentLabel => ({
  ...(id !== undefined && { id: BigInt(id) }),
  ...(name !== undefined && { name }),
});

export function newPetBody({ name, category, tags, status }: PetFields, profile?: ProfileBody): NewPetBody {
  return {
    name,
    ...(category !== null && { category: sentLabel(category) }),
    tags: tags.map(sentLabel),
    ...(status !== null && { status }),
    ...(profile !== undefined && { profile }),
  };
}

/** A merge patch of the changed fields. */
export function petPatchBody(before: PetFields, after: PetFields, profile?: ProfileBody): PetPatchBody {
  const changed = new Set(changedFields(before, after));
  const { name, category, tags, status } = after;
  return {
    ...(changed.has('name') && { name }),
    // The service merges a category: without `id: null`, the new name would keep the old ID.
    ...(changed.has('category') && { category: category && { id: null, ...sentLabel(category) } }),
    ...(changed.has('tags') && { tags: tags.map(sentLabel) }),
    ...(changed.has('status') && { status }),
    ...(profile !== undefined && { profile }),
  };
}
