import * as fc from 'fast-check';
import { PET_STATUSES, type Label, type PetDetails } from '../../src/domain/pets/pet.ts';
import { canonicalText } from '../../src/domain/text.ts';
import { ownPhoto } from '../../src/domain/photos/photo.ts';

/** Any 64-bit integer, with extra weight on the limits. */
export const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -20n, max: 20n }),
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
  fc.bigInt({ min: 2n ** 63n - 5n, max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 63n) + 5n }),
);

/** Text with characters that are hard to quote. */
export const trickyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      '\\',
      '/',
      '"\\/',
      '\\/',
      '\u2028',
      '🐕',
      "'",
      '{',
      '}',
      ':',
      'id',
      '\n',
      '1'.repeat(17),
    ),
  }),
);

export const digest = fc.string({
  unit: fc.constantFrom(...'0123456789abcdef'.split('')),
  minLength: 64,
  maxLength: 64,
});

const label: fc.Arbitrary<Label> = fc.record(
  { id: int64, name: trickyText },
  { requiredKeys: [], noNullPrototype: true },
);

/** External URLs, and photos of the service. */
const photoUrl = fc.oneof(
  trickyText,
  fc.webUrl(),
  digest.map(ownPhoto),
  digest.map((text) => `/v2/photo/${text}/small`),
);

/** Any pet that can be stored, without undefined fields. */
export const petDetails: fc.Arbitrary<PetDetails> = fc.record(
  {
    category: label,
    name: trickyText,
    photoUrls: fc.array(photoUrl, { maxLength: 5 }),
    tags: fc.array(label, { maxLength: 5 }),
    status: fc.constantFrom(...PET_STATUSES),
  },
  { requiredKeys: ['name', 'photoUrls', 'tags'], noNullPrototype: true },
);

/** The pet that the service stores for this one. */
export function canonicalPet({ category, name, tags, ...other }: PetDetails): PetDetails {
  return {
    ...(category !== undefined && { category: canonicalLabel(category) }),
    name: canonicalText(name),
    tags: tags.map(canonicalLabel),
    ...other,
  };
}

function canonicalLabel(label: Label): Label {
  return { ...label, ...(label.name !== undefined && { name: canonicalText(label.name) }) };
}
