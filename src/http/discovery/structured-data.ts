import type { BreadcrumbList, Graph, ItemList, Offer, Product, Thing, WebSite } from 'schema-dts';
import type { FoundPets, PetWithPhotos } from '../../api/web/first-view.ts';
import type { Language } from '../../api/web/languages.ts';
import type { Words } from '../../api/words/words.ts';
import type { PetStatus } from '../../domain/pets/pet.ts';
import type { Profile } from '../../domain/pets/profile.ts';
import { describePet, nameOf, nameOfLabel, petUrl, searchUrl } from './descriptions.ts';
import type { Site } from './site.ts';
import { TEXTS } from './texts.ts';

/* The content of pages as JSON-LD (https://schema.org), for search engines. */

export interface DataContext {
  /** The URL at which the client reaches the service. */
  base: string;
  language: Language;
  site: Site;
}

/** Schema.org also has `Reserved`, which Google does not know. */
const AVAILABILITY = {
  available: 'https://schema.org/InStock',
  pending: 'https://schema.org/LimitedAvailability',
  sold: 'https://schema.org/SoldOut',
} as const satisfies Record<PetStatus, Offer['availability']>;

export function petData(subject: PetWithPhotos, context: DataContext): Graph {
  return graphOf([productOf(subject, context), trailOf(subject, context)]);
}

export function catalogueData({ pets }: Pick<FoundPets, 'pets'>, { base, language, site }: DataContext): Graph {
  const list: ItemList = {
    '@type': 'ItemList',
    itemListElement: pets.map((pet, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name: nameOf(pet, language),
      url: petUrl(base, pet.id),
    })),
  };
  const website: WebSite = {
    '@type': 'WebSite',
    name: site.name,
    url: `${base}/`,
    description: TEXTS[language].lookingForHome,
  };
  return graphOf([website, ...(site.organization === undefined ? [] : [site.organization]), list]);
}

/** The data of the page of the organisation. */
export function organisationData(organization: NonNullable<Site['organization']>): Graph {
  return graphOf([organization]);
}

function productOf({ pet, photos, about }: PetWithPhotos, { base, language, site }: DataContext): Product {
  const { category, status } = pet;
  const profile = about?.profile ?? {};
  const url = petUrl(base, pet.id);
  const images = photos.map(({ sizes }) => sizes.large.url);
  return {
    '@type': 'Product',
    '@id': url,
    url,
    name: nameOf(pet, language),
    description: describePet(pet, language, site, profile),
    ...(images.length > 0 && { image: images }),
    ...(category?.name !== undefined && { category: nameOfLabel(category.name, language, site) }),
    ...(profile.colours !== undefined && { color: profile.colours.map(TEXTS[language].facts.colour).join(', ') }),
    ...(profile.weightKg !== undefined && {
      weight: { '@type': 'QuantitativeValue', value: profile.weightKg, unitCode: 'KGM' },
    }),
    ...propertiesOf(profile, TEXTS[language].facts),
    ...(status !== undefined && { offers: { ...offerOf(url, status, site), ...priceOf(profile) } }),
  };
}

/** Facts for which a product has no property of its own. */
function propertiesOf(
  { species, breedPrimary, sex, birthDate }: Profile,
  words: Words,
): Pick<Product, 'additionalProperty'> {
  const breed = breedPrimary && words.breed(breedPrimary, species);
  const facts = Object.entries({ breed, sex, birthDate }).filter(([, value]) => value !== undefined);
  if (facts.length === 0) return {};
  return { additionalProperty: facts.map(([name, value = '']) => ({ '@type': 'PropertyValue', name, value })) };
}

/** Google shows an offer only with a price. */
function priceOf({ feeAmount, feeCurrency, feeIsWaived }: Profile): Pick<Offer, 'price' | 'priceCurrency'> {
  if (feeAmount === undefined || feeCurrency === undefined) return {};
  return { price: feeIsWaived === true ? 0 : feeAmount, priceCurrency: feeCurrency };
}

function offerOf(url: string, status: PetStatus, { organization }: Site): Offer {
  return {
    '@type': 'Offer',
    url,
    availability: AVAILABILITY[status],
    ...(organization !== undefined && { seller: organization }),
  };
}

/** The catalogue, the category and the pet. */
function trailOf({ pet }: PetWithPhotos, { base, language, site }: DataContext): BreadcrumbList {
  const category = pet.category?.name ?? '';
  const places = [
    { name: site.name, item: searchUrl(base, {}) },
    ...(category === ''
      ? []
      : [{ name: nameOfLabel(category, language, site), item: searchUrl(base, { category: [category] }) }]),
    { name: nameOf(pet, language), item: petUrl(base, pet.id) },
  ];
  return {
    '@type': 'BreadcrumbList',
    itemListElement: places.map((place, index) => ({ '@type': 'ListItem', position: index + 1, ...place })),
  };
}

function graphOf(things: readonly Thing[]): Graph {
  return { '@context': 'https://schema.org', '@graph': things };
}
