import type { Site } from '../../../api/web/site.ts';
import type { FieldName, InputName, Inputs, OwnField } from './profile-inputs.ts';
import { inputOf, ownName } from './profile-inputs.ts';

/*
 * The sections of the form, and the fields that make sense for a species.
 */

export const SECTIONS = {
  kind: ['species', 'breedPrimary', 'breedSecondary', 'breedIsMixed', 'sex'],
  body: ['birthDate', 'birthDateIsEstimated', 'size', 'weightKg', 'colours', 'pattern', 'coat'],
  health: [
    ...(['isAltered', 'vaccinationsAreCurrent', 'isDeclawed', 'hasSpecialNeeds'] as const),
    ...(['specialNeedsNote', 'hasSpecialDiet', 'isFivPositive', 'isHeartwormPositive'] as const),
    ...(['microchip', 'medicalNote'] as const),
  ],
  getsAlong: ['goodWithChildren', 'goodWithDogs', 'goodWithCats', 'goodWithOthers'],
  temperament: ['energy', 'isHouseTrained', 'isCrateTrained', 'isLeashTrained', 'isIndoorOnly'],
  stay: ['intakeDate', 'location', 'unit', 'isFostered', 'bondedWith', 'holdUntil'],
  listing: [
    ...(['summary', 'description', 'summaryEn', 'descriptionEn', 'summaryDe', 'descriptionDe'] as const),
    ...(['feeAmount', 'feeCurrency', 'feeIsWaived', 'videoUrls', 'externalId'] as const),
  ],
} as const satisfies Readonly<Record<string, readonly FieldName[]>>;

export type SectionName = keyof typeof SECTIONS;
export const SECTION_NAMES = Object.keys(SECTIONS) as readonly SectionName[];

const FIELDS = SECTION_NAMES.flatMap((section) => SECTIONS[section] as readonly FieldName[]);

/** The fields that only some species have. All are shown while the species is unknown. */
const ONLY_FOR: Readonly<Partial<Record<FieldName, readonly string[]>>> = {
  isDeclawed: ['cat'],
  isHouseTrained: ['dog', 'cat', 'rabbit', 'small-furry'],
  isCrateTrained: ['dog', 'cat'],
  isLeashTrained: ['dog', 'cat', 'horse', 'barnyard'],
  isIndoorOnly: ['cat', 'rabbit'],
  isFivPositive: ['cat'],
  isHeartwormPositive: ['dog', 'cat'],
  coat: ['dog', 'cat', 'rabbit', 'small-furry', 'horse', 'barnyard'],
  pattern: ['dog', 'cat', 'rabbit', 'small-furry', 'horse', 'barnyard', 'bird'],
  size: ['dog', 'cat', 'rabbit', 'horse', 'barnyard', 'bird', 'reptile-other'],
};

/** The texts of each language, for organisations whose own texts are in another one. */
const TRANSLATED = {
  en: ['summaryEn', 'descriptionEn'],
  de: ['summaryDe', 'descriptionDe'],
} as const satisfies Record<string, readonly FieldName[]>;

type Unasked = readonly FieldName[];

/** The fields that the form does not ask for, by the country and the language of the organisation. */
export function unaskedAt({ unasked = [], language }: Pick<Site, 'unasked' | 'language'>): Unasked {
  // Without a language, nothing says in which one the texts are.
  const own = language === undefined ? [...TRANSLATED.en, ...TRANSLATED.de] : TRANSLATED[language];
  return [...unasked, ...own];
}

export function makesSense(name: FieldName, species: string, unasked: Unasked): boolean {
  if (unasked.includes(name)) return false;
  return species === '' || (ONLY_FOR[name]?.includes(species) ?? true);
}

/** Fields that say more about another one, or about the work of the shelter, not about the pet. */
const NO_FACTS: ReadonlySet<FieldName> = new Set([
  ...(['breedSecondary', 'birthDateIsEstimated', 'specialNeedsNote', 'medicalNote', 'unit', 'bondedWith'] as const),
  ...(['summaryEn', 'descriptionEn', 'summaryDe', 'descriptionDe'] as const),
  ...(['holdUntil', 'feeCurrency', 'feeIsWaived', 'videoUrls', 'externalId'] as const),
]);

export interface Progress {
  done: number;
  all: number;
}

/** Counts the facts of a pet that are known, among those that make sense for its species. */
export function progressOf(inputs: Inputs, ownFields: readonly Pick<OwnField, 'key'>[], unasked: Unasked): Progress {
  const species = inputOf(inputs, 'species');
  const facts: readonly InputName[] = [
    ...FIELDS.filter((name) => makesSense(name, species, unasked) && !NO_FACTS.has(name)),
    ...ownFields.map(({ key }) => ownName(key)),
  ];
  return { done: facts.filter((name) => inputOf(inputs, name) !== '').length, all: facts.length };
}

/** Stored values that the form does not show, as they do not fit the species or the country. */
export function hiddenValues(inputs: Inputs, unasked: Unasked): readonly FieldName[] {
  const species = inputOf(inputs, 'species');
  return FIELDS.filter((name) => inputOf(inputs, name) !== '' && !makesSense(name, species, unasked));
}

export function controlId(formId: string, name: string): string {
  return `${formId}-profile-${name.replace('/', '-')}`;
}
