import { exactNumber, parseExactJson } from '../int64.ts';

/*
 * The profile of a pet: what a catalogue needs beyond the six fields of a Pet, which clients of Petstore expect. Every
 * field is optional. An absent field means that nothing is known, which is not the same as "no".
 */

export const SPECIES = ['dog', 'cat', 'rabbit', 'small-furry', 'horse', 'bird', 'reptile-other', 'barnyard'] as const;
export const SEXES = ['female', 'male', 'unknown'] as const;
export const SIZES = ['S', 'M', 'L', 'XL'] as const;
export const COATS = ['hairless', 'short', 'medium', 'long'] as const;
export const ENERGIES = ['low', 'medium', 'high'] as const;

export type Species = (typeof SPECIES)[number];

/** The value of a field that the organisation defines: a text, a number, a date, a choice, or yes and no. */
export type OwnValue = string | number | boolean;

export interface Profile {
  species?: Species;
  breedPrimary?: string;
  breedSecondary?: string;
  breedIsMixed?: boolean;
  sex?: (typeof SEXES)[number];
  /** A date as `2026-11-26`, like all dates here. */
  birthDate?: string;
  birthDateIsEstimated?: boolean;
  size?: (typeof SIZES)[number];
  weightKg?: number;
  colours?: readonly string[];
  pattern?: string;
  coat?: (typeof COATS)[number];
  isAltered?: boolean;
  vaccinationsAreCurrent?: boolean;
  isDeclawed?: boolean;
  hasSpecialNeeds?: boolean;
  specialNeedsNote?: string;
  hasSpecialDiet?: boolean;
  isFivPositive?: boolean;
  isHeartwormPositive?: boolean;
  microchip?: string;
  medicalNote?: string;
  goodWithChildren?: boolean;
  goodWithDogs?: boolean;
  goodWithCats?: boolean;
  goodWithOthers?: boolean;
  isHouseTrained?: boolean;
  isCrateTrained?: boolean;
  isLeashTrained?: boolean;
  isIndoorOnly?: boolean;
  energy?: (typeof ENERGIES)[number];
  intakeDate?: string;
  /** The id of a location of the organisation. */
  location?: string;
  isFostered?: boolean;
  bondedWith?: readonly { id: bigint }[];
  holdUntil?: string;
  unit?: string;
  summary?: string;
  /** Markdown. */
  description?: string;
  /** The two texts for pages in a language, if they were written in another one. */
  summaryEn?: string;
  descriptionEn?: string;
  summaryDe?: string;
  descriptionDe?: string;
  feeAmount?: number;
  /** ISO 4217. */
  feeCurrency?: string;
  feeIsWaived?: boolean;
  videoUrls?: readonly string[];
  /** The id of the pet in another system. No two pets have the same. */
  externalId?: string;
  /** False for a draft, which only staff see. */
  isPublished?: boolean;
  /** By the keys of the organisation's own fields. */
  own?: Readonly<Record<string, OwnValue>>;
}

export type ProfileField = keyof Profile;

/** The fields that are the same in every organisation. */
export type PlainField = Exclude<ProfileField, 'own'>;

/** How values are checked, entered and written in tables, beside their schema. */
type TypeOf<Value> = Value extends boolean
  ? 'yes-no'
  : Value extends number
    ? 'number'
    : Value extends readonly string[]
      ? 'list' | 'urls'
      : Value extends readonly object[]
        ? 'pets'
        : string extends Value
          ? 'line' | 'text' | 'date' | 'breed' | 'location' | 'currency'
          : 'word';

type Definitions = {
  readonly [Field in PlainField]: {
    type: TypeOf<NonNullable<Profile[Field]>>;
    /** Private fields are only for those who may change pets. */
    isPublic: boolean;
  };
};

/** In the order of their text. The organisation's own fields have their own definitions. */
export const PROFILE_DEFINITIONS = {
  species: { type: 'word', isPublic: true },
  breedPrimary: { type: 'breed', isPublic: true },
  breedSecondary: { type: 'breed', isPublic: true },
  breedIsMixed: { type: 'yes-no', isPublic: true },
  sex: { type: 'word', isPublic: true },
  birthDate: { type: 'date', isPublic: true },
  birthDateIsEstimated: { type: 'yes-no', isPublic: true },
  size: { type: 'word', isPublic: true },
  weightKg: { type: 'number', isPublic: true },
  colours: { type: 'list', isPublic: true },
  pattern: { type: 'line', isPublic: true },
  coat: { type: 'word', isPublic: true },
  isAltered: { type: 'yes-no', isPublic: true },
  vaccinationsAreCurrent: { type: 'yes-no', isPublic: true },
  isDeclawed: { type: 'yes-no', isPublic: true },
  hasSpecialNeeds: { type: 'yes-no', isPublic: true },
  specialNeedsNote: { type: 'text', isPublic: true },
  hasSpecialDiet: { type: 'yes-no', isPublic: true },
  isFivPositive: { type: 'yes-no', isPublic: true },
  isHeartwormPositive: { type: 'yes-no', isPublic: true },
  microchip: { type: 'line', isPublic: false },
  medicalNote: { type: 'text', isPublic: false },
  goodWithChildren: { type: 'yes-no', isPublic: true },
  goodWithDogs: { type: 'yes-no', isPublic: true },
  goodWithCats: { type: 'yes-no', isPublic: true },
  goodWithOthers: { type: 'yes-no', isPublic: true },
  isHouseTrained: { type: 'yes-no', isPublic: true },
  isCrateTrained: { type: 'yes-no', isPublic: true },
  isLeashTrained: { type: 'yes-no', isPublic: true },
  isIndoorOnly: { type: 'yes-no', isPublic: true },
  energy: { type: 'word', isPublic: true },
  intakeDate: { type: 'date', isPublic: true },
  location: { type: 'location', isPublic: true },
  isFostered: { type: 'yes-no', isPublic: true },
  bondedWith: { type: 'pets', isPublic: true },
  holdUntil: { type: 'date', isPublic: false },
  unit: { type: 'line', isPublic: false },
  summary: { type: 'text', isPublic: true },
  description: { type: 'text', isPublic: true },
  summaryEn: { type: 'text', isPublic: true },
  descriptionEn: { type: 'text', isPublic: true },
  summaryDe: { type: 'text', isPublic: true },
  descriptionDe: { type: 'text', isPublic: true },
  feeAmount: { type: 'number', isPublic: true },
  feeCurrency: { type: 'currency', isPublic: true },
  feeIsWaived: { type: 'yes-no', isPublic: true },
  videoUrls: { type: 'urls', isPublic: true },
  externalId: { type: 'line', isPublic: true },
  isPublished: { type: 'yes-no', isPublic: true },
} as const satisfies Definitions;

export type FieldType = (typeof PROFILE_DEFINITIONS)[PlainField]['type'];

export type FieldOfType<Type extends FieldType> = FieldWith<{ type: Type }>;
export type PublicField = FieldWith<{ isPublic: true }>;
export type PrivateField = FieldWith<{ isPublic: false }>;

type FieldWith<Part> = {
  [Field in PlainField]: (typeof PROFILE_DEFINITIONS)[Field] extends Part ? Field : never;
}[PlainField];

export const PLAIN_FIELDS = Object.keys(PROFILE_DEFINITIONS) as readonly PlainField[];

const PROFILE_FIELDS: readonly ProfileField[] = [...PLAIN_FIELDS, 'own'];

export const PRIVATE_FIELDS = PLAIN_FIELDS.filter(isPrivate);

const PUBLIC_FIELDS: ReadonlySet<string> = new Set(PLAIN_FIELDS.filter((name) => !isPrivate(name)));

export function isPlainField(name: string): name is PlainField {
  return Object.hasOwn(PROFILE_DEFINITIONS, name);
}

export function isPrivate(name: PlainField): name is PrivateField {
  return !PROFILE_DEFINITIONS[name].isPublic;
}

/** Limits of a profile. Lengths are in characters. */
export const PROFILE_LIMITS = {
  breed: 100,
  colours: 3,
  colour: 50,
  pattern: 50,
  weightKg: 2000,
  note: 2000,
  microchip: 50,
  location: 100,
  unit: 100,
  bondedWith: 10,
  summary: 200,
  description: 20_000,
  feeAmount: 1_000_000,
  videoUrls: 5,
  videoUrl: 2048,
  externalId: 100,
  ownText: 2000,
} as const;

/** A change of a profile. Undefined fields stay unchanged; null deletes a field. */
export type ProfileEdit = { [Field in Exclude<ProfileField, 'own'>]?: Profile[Field] | null | undefined } & {
  /** Merged into the current own fields. */
  own?: Readonly<Record<string, OwnValue | null>> | null | undefined;
};

/**
 * A new profile, or a change of the current one. A draft stays one if the new profile does not say whether it is
 * published, unless the new profile is `isExact`.
 */
export type ProfileChange = { replacedBy: Profile; isExact?: true } | { edit: ProfileEdit };

export interface StoredProfile {
  /** The version of the pet in which the profile was last changed, which is its ETag; 0 if it never was. */
  version: bigint;
  /** JSON; null for an empty profile. */
  text: string | null;
}

export const EMPTY_PROFILE: StoredProfile = { version: 0n, text: null };

/** The stored form of a profile, with the values that queries need. */
export interface ProfileRecord {
  text: string | null;
  externalId: string | null;
  isDraft: boolean;
}

export function profileRecordOf(profile: Profile): ProfileRecord {
  const { externalId = null, isPublished } = profile;
  return { text: profileText(profile), externalId, isDraft: isPublished === false };
}

/** The fields of a profile that are present, in their order, each as its JSON. */
export function profileFields(profile: Profile): readonly (readonly [name: ProfileField, text: string])[] {
  return PROFILE_FIELDS.flatMap((name) => {
    const value = profile[name];
    return value === undefined ? [] : [[name, JSON.stringify(exactValue(value))] as const];
  });
}

const CARD_FACTS: ReadonlySet<string> = new Set<PublicField>([
  'species',
  'breedPrimary',
  'breedSecondary',
  'breedIsMixed',
  'sex',
  'birthDate',
  'size',
  'intakeDate',
  'location',
  'bondedWith',
  'isPublished',
]);

/** The facts that a card shows, without the long texts of a profile. Staff also see whether the pet is a draft. */
export function profileFactsText(text: string): string {
  const { isPublished, ...profile } = readProfileText(text);
  const fields = profileFields({ ...profile, ...(isPublished === false && { isPublished }) });
  return profileJson(fields.filter(([name]) => CARD_FACTS.has(name)));
}

/** Null for an empty profile. */
function profileText(profile: Profile): string | null {
  const fields = profileFields(profile);
  return fields.length === 0 ? null : profileJson(fields);
}

/** A profile, or some of its fields, as JSON. */
export function profileJson(fields: readonly (readonly [name: string, text: string])[]): string {
  return `{${fields.map(([name, text]) => `"${name}":${text}`).join()}}`;
}

/** Reads a stored text without validation: it was validated before it was stored. */
export function readProfileText(text: string | null): Profile {
  if (text === null) return {};
  const { bondedWith, ...rest } = parseExactJson(text) as Omit<Profile, 'bondedWith'> & { bondedWith?: RawId[] };
  return { ...rest, ...(bondedWith !== undefined && { bondedWith: bondedWith.map(({ id }) => ({ id: BigInt(id) })) }) };
}

/** `parseExactJson` returns the digits of a long id. */
interface RawId {
  id: number | string;
}

function exactValue(value: Profile[ProfileField]): unknown {
  if (!Array.isArray(value)) return value;
  return (value as readonly (string | { id: bigint })[]).map((item) =>
    typeof item === 'string' ? item : { id: exactNumber(item.id) },
  );
}

export function changedProfile(profile: Profile, change: ProfileChange): Profile {
  if ('replacedBy' in change) {
    const { replacedBy, isExact } = change;
    const staysDraft = profile.isPublished === false && replacedBy.isPublished === undefined && isExact !== true;
    return staysDraft ? { ...replacedBy, isPublished: false } : replacedBy;
  }
  const { own, ...fields } = change.edit;
  const { own: ownBefore, ...before } = profile;
  const merged = merge<Profile>(before, fields);
  const mergedOwn = own === null ? {} : merge<Record<string, OwnValue>>({ ...ownBefore }, own ?? {});
  return { ...merged, ...(Object.keys(mergedOwn).length > 0 && { own: mergedOwn }) };
}

function merge<T extends object>(now: T, edit: { [Field in keyof T]?: T[Field] | null | undefined }): T {
  const entries = Object.entries({ ...now, ...withoutUndefined(edit) });
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined)) as T;
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export function changedProfileFields(before: Profile, after: Profile): readonly ProfileField[] {
  const [old, now] = [new Map(profileFields(before)), new Map(profileFields(after))];
  return PROFILE_FIELDS.filter((name) => old.get(name) !== now.get(name));
}

/** A fee without a currency is in that of the organisation, if it has one. */
export function withFeeCurrency(profile: Profile, currency: string | undefined): Profile {
  const { feeAmount, feeCurrency } = profile;
  const isMissing = feeAmount !== undefined && feeCurrency === undefined;
  return isMissing && currency !== undefined ? { ...profile, feeCurrency: currency } : profile;
}

/**
 * What everyone may read: what is declared public, as a later version may have stored a field that this one does not
 * know. An amount without a currency says nothing, so it is left out.
 *
 * @param isPublicKey whether anonymous clients read the own field with this key
 */
export function publicProfile(profile: Profile, isPublicKey: (key: string) => boolean): Profile {
  const { feeAmount, feeCurrency } = profile;
  const isFeeKnown = feeAmount === 0 || feeCurrency !== undefined;
  const fields = Object.entries(profile).filter(
    ([name]) => PUBLIC_FIELDS.has(name) && (name !== 'feeAmount' || isFeeKnown),
  );
  const own = Object.entries(profile.own ?? {}).filter(([key]) => isPublicKey(key));
  return { ...Object.fromEntries(fields), ...(own.length > 0 && { own: Object.fromEntries(own) }) };
}
