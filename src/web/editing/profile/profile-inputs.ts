import type { HtmlField } from '../../../api/records/profile.ts';
import type { ArgumentsOf, ResultOf } from '../../../api/documents/operation-types.ts';
import {
  isPlainField,
  PROFILE_DEFINITIONS,
  type FieldType,
  type PlainField,
} from '../../../api/web/profile-definitions.ts';
import { withScheme } from '../../design/fields/web-address.ts';

/*
 * The inputs of the form of a profile: each field is the text of its control, so that drafts, comparisons and merges
 * treat all fields alike. An empty text means unknown.
 */

export type ProfileView = Omit<ResultOf<'getPetProfile'>, HtmlField>;
export type OwnField = ResultOf<'getOwnFields'>['fields'][number];
export type ProfilePatch = ArgumentsOf<'patchPetProfile'>['body'];

export type FieldName = PlainField;
/** The fields of the organisation are `own/` and their key, as in the paths of problems. */
export type InputName = FieldName | `own/${string}`;
export type Inputs = Readonly<Partial<Record<InputName, string>>>;

export function typeOf(name: FieldName): FieldType {
  return PROFILE_DEFINITIONS[name].type;
}

export function isOwn(name: InputName): name is `own/${string}` {
  return name.startsWith('own/');
}

export function ownName(key: string): `own/${string}` {
  return `own/${key}`;
}

/** Without fields that are derived, such as the story as HTML. */
export function inputsOf({ own = {}, ...profile }: ProfileView): Inputs {
  const known = Object.entries(profile).filter(([name]) => isPlainField(name));
  const fields = known.map(([name, value]) => [name, textOf(name as FieldName, value)]);
  const ownFields = Object.entries(own).map(([key, value]) => [ownName(key), plainTextOf(value)]);
  return Object.fromEntries([...fields, ...ownFields].filter(([, text]) => text !== '')) as Inputs;
}

function textOf(name: FieldName, value: ProfileView[FieldName]): string {
  // Published is the default, so that it is stored only for drafts.
  if (name === 'isPublished') return value === false ? 'no' : '';
  if (!Array.isArray(value)) return plainTextOf(value as string);
  const items = (value as readonly (string | { id: bigint })[]).map((item) =>
    typeof item === 'string' ? item : String(item.id),
  );
  return items.join(typeOf(name) === 'urls' ? '\n' : ', ');
}

function plainTextOf(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

/** Names with different inputs, ignoring spaces around them. */
export function changedNames(before: Inputs, after: Inputs): readonly InputName[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<InputName>;
  return [...names].filter((name) => inputOf(before, name) !== inputOf(after, name));
}

export function inputOf(inputs: Inputs, name: InputName): string {
  return (inputs[name] ?? '').trim();
}

/**
 * A merge patch of the changed fields. Inputs that are no value of their field, such as a number with letters, are sent
 * as they are: the schema names them.
 */
export function patchOf(before: Inputs, after: Inputs, ownFields: readonly OwnField[]): ProfilePatch {
  const names = changedNames(before, after);
  const fields = names
    .filter((name) => !isOwn(name))
    .map((name) => [name, valueOf(typeOf(name), inputOf(after, name))]);
  const own = names.filter(isOwn).map((name) => {
    const key = name.slice('own/'.length);
    const type = ownFields.find((field) => field.key === key)?.type;
    return [key, ownValueOf(type, inputOf(after, name))];
  });
  return { ...Object.fromEntries(fields), ...(own.length > 0 && { own: Object.fromEntries(own) }) } as ProfilePatch;
}

function valueOf(type: FieldType, text: string): unknown {
  if (text === '') return null;
  if (type === 'yes-no') return text === 'yes';
  if (type === 'number') return numberOf(text);
  if (type === 'pets') return itemsOf(text, ',').map((id) => ({ id }));
  if (type === 'list') return itemsOf(text, ',');
  if (type === 'urls') return itemsOf(text, '\n').map(withScheme);
  return text;
}

function ownValueOf(type: OwnField['type'] | undefined, text: string): unknown {
  if (text === '') return null;
  if (type === 'yes-no-unknown') return text === 'yes';
  return type === 'number' ? numberOf(text) : text;
}

function itemsOf(text: string, separator: string): readonly string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** With a decimal comma or point. */
function numberOf(text: string): number | string {
  return /^-?\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text;
}
