import { addressedSearch, catalogueQuery, shownSearch, type CatalogueAddress } from '../../api/web/catalogue-search.ts';
import type { Language } from '../../api/web/languages.ts';
import { summaryIn } from '../../api/words/pet-texts.ts';
import { withLabels } from '../../api/words/words.ts';
import { shortFacts } from '../../api/web/short-facts.ts';
import { tagNamesOf, type Pet } from '../../domain/pets/pet.ts';
import type { Profile } from '../../domain/pets/profile.ts';
import { withSingleStops } from '../../domain/sentences.ts';
import type { Site } from './site.ts';
import { TEXTS } from './texts.ts';

/* Pets and searches in words, and their addresses. `base` is the URL at which the client reaches the service. */

/** Maximum length of a description. A pet may have a hundred long tags. */
const DESCRIPTION_LENGTH = 300;

export function nameOf({ name }: Pick<Pet, 'name'>, language: Language): string {
  return name.trim() === '' ? TEXTS[language].unnamed : name;
}

/** What is known about a pet, such as `Luna is looking for a home. Cats, female, 2 years, calm.` and its summary. */
export function describePet(pet: Pet, language: Language, site: Site, profile: Profile = {}): string {
  const name = nameOf(pet, language);
  const labels = [pet.category?.name ?? '', ...tagNamesOf(pet)].map((label) => nameOfLabel(label, language, site));
  const [category, ...tags] = labels;
  const summary = summaryIn(profile, { language, textLanguage: undefined });
  const known = shortFacts(profile, TEXTS[language].facts, { locale: language, nowMs: Date.now() });
  const facts = [category, ...known, ...tags].filter((fact) => fact !== undefined && fact !== '');
  const about = pet.status === undefined ? `${name}.` : TEXTS[language].status[pet.status](name);
  const sentences = [about, ...(facts.length === 0 ? [] : [`${facts.join(', ')}.`])].map(withSingleStops);
  return shortened([...sentences, summary?.text].filter((sentence) => sentence !== undefined).join(' '));
}

/** The name of a search: its category or tag, if it has only one; otherwise that of the catalogue. */
export function nameOfSearch({ category = [], tag = [] }: CatalogueAddress, language: Language, site: Site): string {
  const [only, ...others] = [...category, ...tag];
  return only === undefined || others.length > 0 ? TEXTS[language].catalogue : nameOfLabel(only, language, site);
}

/** A category or a tag in this language. */
export function nameOfLabel(name: string, language: Language, { labels }: Site): string {
  return withLabels(TEXTS[language].facts, labels?.[language]).label(name);
}

export function titled(name: string, { name: siteName }: Site): string {
  return `${name} - ${siteName}`;
}

export function aboutUrl(base: string): string {
  return `${base}/about`;
}

export function petUrl(base: string, id: bigint): string {
  return `${base}/pets/${id}`;
}

/** The address of a search as a visitor sees it. Its parameters are in a fixed order, and others are omitted. */
export function searchUrl(base: string, search: CatalogueAddress, path = '/'): string {
  const query = catalogueQuery(addressedSearch(shownSearch(search, false), false)).toString();
  return `${base}${path}${query === '' ? '' : `?${query}`}`;
}

function shortened(text: string): string {
  return text.length > DESCRIPTION_LENGTH ? `${text.slice(0, DESCRIPTION_LENGTH).toWellFormed()}...` : text;
}
