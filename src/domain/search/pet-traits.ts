import { tagNamesOf, type Label, type PetRecord, type PetStatus } from '../pets/pet.ts';
import type { Profile } from '../pets/profile.ts';
import { canonicalText } from '../text.ts';
import { birthOf, dayNumberOf } from './ages.ts';
import type { StatusFilter } from './criteria.ts';
import { DRAFT, factsOf } from './facts.ts';
import type { SourceTexts } from './index-source.ts';
import { wordsOf } from './words.ts';

/** The fields of a profile by which a pet is found and counted. */
interface ProfileTraits {
  breedNames: readonly string[];
  /** Keys (`facts.ts`). */
  facts: readonly string[];
  /** See `birthOf`; 0 if unknown. */
  birth: number;
  /** See `dayNumberOf`; 0 if unknown. */
  intakeDay: number;
}

/** The dates of a pet without a profile. */
export const NO_DATES = { birth: 0, intakeDay: 0 };

/** The fields by which a pet is found and counted. */
export interface PetTraits extends Pick<PetRecord, 'name' | 'categoryName' | 'tagNames' | 'status'> {
  /** Absent if the pet has none. */
  profile?: ProfileTraits;
}

/** Reads the fields from the stored texts of a pet. No ids are needed, so the faster `JSON.parse` suffices. */
export function traitsOf({ text, profile }: SourceTexts & { text: string }): PetTraits {
  const { name, category, tags, status } = JSON.parse(text) as {
    name: string;
    category?: Pick<Label, 'name'>;
    tags: readonly Pick<Label, 'name'>[];
    status?: PetStatus;
  };
  return {
    name,
    categoryName: category?.name === undefined ? null : canonicalText(category.name),
    tagNames: [...new Set(tagNamesOf({ tags }).map(canonicalText))],
    status: status ?? null,
    ...(profile !== null && { profile: profileTraitsOf(profile) }),
  };
}

function profileTraitsOf(text: string): ProfileTraits {
  const profile = JSON.parse(text) as Profile;
  const breeds = [profile.breedPrimary, profile.breedSecondary].filter((breed) => breed !== undefined);
  return {
    breedNames: [...new Set(breeds)],
    facts: factsOf(profile),
    birth: birthOf(profile),
    intakeDay: dayNumberOf(profile.intakeDate),
  };
}

export function allWordsOf(traits: PetTraits): readonly string[] {
  return [traits.name, ...categoriesOf(traits), ...traits.tagNames, ...(traits.profile?.breedNames ?? [])].flatMap(
    wordsOf,
  );
}

export function isDraft(traits: PetTraits | undefined): boolean {
  return traits?.profile?.facts.includes(DRAFT) ?? false;
}

export function statusesOf(traits: PetTraits | undefined): readonly StatusFilter[] {
  return traits === undefined ? [] : [traits.status ?? 'none'];
}

export function categoriesOf(traits: PetTraits | undefined): readonly string[] {
  return traits === undefined || traits.categoryName === null ? [] : [traits.categoryName];
}
