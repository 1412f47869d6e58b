import type { Profile, Species } from '../../../domain/pets/profile.ts';
import { ageGroupOf } from '../../../domain/search/ages.ts';
import { sharedBreedName, withoutMix } from '../../../domain/pets/breed-names.ts';

/*
 * The size of a pet, for a site that refuses pets without one. It is neither stored nor shown as a value that staff
 * has entered.
 */

type Size = NonNullable<Profile['size']>;

const KG_PER_POUND = 0.45359237;

/** The most that adult pets of a size weigh, in pounds: as Petfinder divides them, and as the form says. */
const POUNDS: Partial<Readonly<Record<Species, readonly [S: number, M: number, L: number]>>> = {
  dog: [25, 60, 100],
  cat: [6, 11, 16],
  rabbit: [4, 8, 11],
};

/**
 * Breeds of dogs whose adults, male and female, usually have weights of one size. Adults of most other breeds are in
 * two sizes.
 */
const BREEDS: Readonly<Record<Size, string>> = {
  S: `Affenpinscher, Australian Terrier, Bichon Frise, Border Terrier, Boston Terrier, Brussels Griffon, Cairn Terrier,
    Cavalier King Charles Spaniel, Chihuahua, Chinese Crested, Coton de Tulear, Dandie Dinmont Terrier,
    English Toy Spaniel, Havanese, Italian Greyhound, Japanese Chin, Lakeland Terrier, Lhasa Apso, Lowchen, Maltese,
    Miniature Dachshund, Miniature Pinscher, Miniature Schnauzer, Norfolk Terrier, Norwich Terrier, Papillon,
    Parson Russell Terrier, Pekingese, Pomeranian, Pug, Schipperke, Shetland Sheepdog, Shih Tzu, Silky Terrier,
    Smooth Fox Terrier, Tibetan Spaniel, Toy Fox Terrier, Toy Manchester Terrier, West Highland White Terrier,
    Wire Fox Terrier, Yorkshire Terrier`,
  M: `Australian Cattle Dog, Border Collie, Brittany, English Bulldog, English Springer Spaniel, Field Spaniel, Keeshond,
    Kerry Blue Terrier, Norwegian Elkhound, Nova Scotia Duck Tolling Retriever, Pharaoh Hound, Portuguese Water Dog,
    Shar-Pei, Siberian Husky, Standard Schnauzer, Vizsla, Welsh Springer Spaniel, Wheaten Terrier`,
  L: 'Alaskan Malamute, Dogo Argentino, Rhodesian Ridgeback',
  XL: 'Great Dane, Irish Wolfhound, Mastiff, Neapolitan Mastiff, Saint Bernard',
};

const SIZE_OF_BREED: ReadonlyMap<string, Size> = new Map(
  Object.entries(BREEDS).flatMap(([size, names]) =>
    names.split(',').map((name) => [name.trim(), size as Size] as const),
  ),
);

/** Undefined if neither the weight of an adult nor the breed says it. A mix can have any size. */
export function derivedSize(profile: Profile, nowMs: number): Size | undefined {
  return sizeByWeight(profile, nowMs) ?? sizeByBreed(profile);
}

/** Only of adults: the weight of a young animal does not say how large it will be. */
function sizeByWeight(profile: Profile, nowMs: number): Size | undefined {
  const { species, weightKg } = profile;
  const limits = species && POUNDS[species];
  const age = ageGroupOf(profile, nowMs);
  if (limits === undefined || weightKg === undefined || (age !== 'adult' && age !== 'senior')) return undefined;
  const [small, medium, large] = limits;
  const pounds = Math.round(weightKg / KG_PER_POUND);
  if (pounds <= small) return 'S';
  if (pounds <= medium) return 'M';
  return pounds <= large ? 'L' : 'XL';
}

function sizeByBreed({ species, breedPrimary, breedSecondary, breedIsMixed }: Profile): Size | undefined {
  const isPure = breedSecondary === undefined && breedIsMixed !== true;
  if (species !== 'dog' || !isPure || breedPrimary === undefined || withoutMix(breedPrimary) !== breedPrimary)
    return undefined;
  return SIZE_OF_BREED.get(sharedBreedName(species, breedPrimary) ?? '');
}
