import type { Profile, PublicField } from '../pets/profile.ts';

/*
 * The facts of a profile: its values by which pets are filtered and counted, each as a key such as `species=dog`. The
 * index has a set of pets for each.
 */

/** The facts of which a pet has at most one, and a search any number as alternatives. */
export const FACT_FILTERS = ['species', 'sex', 'size', 'coat', 'location'] as const satisfies readonly PublicField[];

export type FactFilter = (typeof FACT_FILTERS)[number];

export const COMPANIONS = ['children', 'dogs', 'cats', 'others'] as const;

export type Companion = (typeof COMPANIONS)[number];

/** Pets that only those see who may change pets. */
export const DRAFT = 'isDraft';

/** Pets in the order by stay. */
export const HAS_INTAKE_DATE = 'hasIntakeDate';

/** Longer texts of own fields are not choices. */
const MAX_OWN_LENGTH = 100;

const YES_NO_FACTS = [
  ...(['goodWithChildren', 'goodWithDogs', 'goodWithCats', 'goodWithOthers'] as const),
  ...(['isHouseTrained', 'isAltered', 'hasSpecialNeeds', 'isFostered'] as const),
] satisfies readonly PublicField[];

export function factKey(name: FactFilter, value: string): string {
  return `${name}=${value}`;
}

export function companionKey(companion: Companion): string {
  return `${COMPANION_FIELDS[companion]}=true`;
}

const COMPANION_FIELDS = {
  children: 'goodWithChildren',
  dogs: 'goodWithDogs',
  cats: 'goodWithCats',
  others: 'goodWithOthers',
} as const satisfies Record<Companion, PublicField>;

/** @param value of a choice, or `true` and `false` */
export function ownKey(key: string, value: string): string {
  return `own.${key}=${value}`;
}

/** The facts of a profile. Own fields have no definitions here: which of them a search may use is decided later. */
export function factsOf(profile: Profile): readonly string[] {
  const facts: string[] = [];
  for (const name of [...FACT_FILTERS, 'energy'] as const satisfies readonly PublicField[]) {
    const value = profile[name];
    if (value !== undefined) facts.push(`${name}=${value}`);
  }
  for (const name of YES_NO_FACTS) if (profile[name] === true) facts.push(`${name}=true`);
  for (const [key, value] of Object.entries(profile.own ?? {}))
    if (typeof value === 'boolean' || (typeof value === 'string' && value.length <= MAX_OWN_LENGTH))
      facts.push(ownKey(key, `${value}`));
  if (profile.isPublished === false) facts.push(DRAFT);
  if (profile.intakeDate !== undefined) facts.push(HAS_INTAKE_DATE);
  return facts;
}
