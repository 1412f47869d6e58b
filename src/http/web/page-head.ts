import type { Graph } from 'schema-dts';
import { FACT_FILTERS, readCatalogueSearch, type CatalogueAddress } from '../../api/web/catalogue-search.ts';
import { isLanguage, LANGUAGES, type Language } from '../../api/web/languages.ts';
import type { PagePath } from '../../api/pages.ts';
import type { OwnPhoto } from '../../api/records/photo.ts';
import { aboutUrl, describePet, nameOf, nameOfSearch, petUrl, searchUrl, titled } from '../discovery/descriptions.ts';
import { FEED_FORMATS } from '../discovery/feed-formats.ts';
import { feedTitle } from '../discovery/feeds.ts';
import { catalogueData, organisationData, petData, type DataContext } from '../discovery/structured-data.ts';
import type { OrganisationView } from '../../api/web/first-view.ts';
import { isDescribed } from '../../api/web/site.ts';
import { TEXTS } from '../discovery/texts.ts';
import type { FeatureRoutes, PageLink } from '../features/feature-routes.ts';
import type { PageContents } from './first-responses.ts';

/** The metadata of a page, for search engines and link previews. */
export interface PageSummary {
  title: string;
  description: string;
  /** Undefined for pages that search engines must not show. */
  canonical: string | undefined;
  /** The address of the page in each language, and in that of the reader (`x-default`). */
  translations?: readonly { hreflang: Language | 'x-default'; href: string }[];
  /** The link preview (Open Graph). */
  card: { title: string; url: string; siteName: string; photo: PreviewPhoto | undefined } | undefined;
  /** The feeds with the same pets, and what features add. */
  alternates?: readonly PageLink[];
  /** The content as JSON-LD. */
  data?: Graph;
}

interface PreviewPhoto {
  url: string;
  width: number;
  height: number;
  alt: string;
}

interface PageRequest extends DataContext {
  path: PagePath | undefined;
  query: URLSearchParams;
  features: readonly Pick<FeatureRoutes, 'alternatesOf'>[];
}

export function summaryOf(contents: PageContents, page: PageRequest): PageSummary {
  const summary = neutralSummaryOf(contents, page);
  const { canonical, card } = summary;
  if (canonical === undefined) return summary;
  const translations = [
    ...LANGUAGES.map((hreflang) => ({ hreflang, href: inLanguage(canonical, hreflang) })),
    { hreflang: 'x-default', href: canonical } as const,
  ];
  const chosen = chosenLanguageIn(page.query);
  if (chosen === undefined) return { ...summary, translations };
  const url = inLanguage(canonical, chosen);
  return { ...summary, translations, canonical: url, card: card && { ...card, url } };
}

/** The language that an address names, as links of search engines do. */
export function chosenLanguageIn(query: URLSearchParams): Language | undefined {
  const language = query.get('language') ?? undefined;
  return isLanguage(language) ? language : undefined;
}

function inLanguage(address: string, language: Language): string {
  const url = new URL(address);
  url.searchParams.set('language', language);
  return url.href;
}

/** The summary of the page at its address without a language. */
function neutralSummaryOf(contents: PageContents, page: PageRequest): PageSummary {
  const { path, language, site } = page;
  const { subject } = contents;
  if (path === '/') return summaryOfCatalogue(contents, page);
  if (contents.organisation !== undefined) return summaryOfOrganisation(contents.organisation, page);
  const title = subject === undefined ? site.name : titled(nameOf(subject.pet, language), site);
  const description =
    subject === undefined
      ? TEXTS[language].lookingForHome
      : describePet(subject.pet, language, site, subject.about?.profile);
  // Staff pages, accounts, administration, and pets that do not exist.
  if (subject === undefined || path !== '/pets/$petId')
    return { title, description, canonical: undefined, card: undefined };
  const name = nameOf(subject.pet, language);
  const url = petUrl(page.base, subject.pet.id);
  const card = { title: name, url, siteName: site.name, photo: previewOf(subject.photos[0], name) };
  const alternates = alternatesOf(page, url, name);
  return { title, description, canonical: url, card, alternates, data: petData(subject, page) };
}

function summaryOfCatalogue({ found }: PageContents, page: PageRequest): PageSummary {
  const { base, language, site } = page;
  const { sort: _order, ...search } = readCatalogueSearch(page.query);
  const name = nameOfSearch(search, language, site);
  const url = searchUrl(base, search);
  const description = describeSearch(search, page);
  const photo = previewOf(found?.covers[0], name);
  return {
    title: titled(name, site),
    description,
    canonical: isForSearchEngines(search) ? url : undefined,
    card: { title: name, url, siteName: site.name, photo },
    alternates: [
      ...FEED_FORMATS.map(({ mediaType: type, path }) => ({
        type,
        title: feedTitle(search, language, site),
        href: searchUrl(base, search, path),
      })),
      ...alternatesOf(page, url, name),
    ],
    ...(found !== undefined && found.pets.length > 0 && { data: catalogueData(found, page) }),
  };
}

function alternatesOf({ base, features }: PageRequest, url: string, title: string): readonly PageLink[] {
  return features.flatMap((feature) => feature.alternatesOf?.({ base, url, title }) ?? []);
}

/** An organisation that says nothing about itself has an empty page. */
function summaryOfOrganisation(organisation: OrganisationView, { base, language, site }: PageRequest): PageSummary {
  const { about, aboutText } = TEXTS[language];
  const title = titled(about, site);
  const isEmpty = !isDescribed(organisation);
  if (isEmpty) return { title, description: aboutText, canonical: undefined, card: undefined };
  const url = aboutUrl(base);
  const card = { title: about, url, siteName: site.name, photo: undefined };
  const data = site.organization && organisationData(site.organization);
  return { title, description: aboutText, canonical: url, card, ...(data !== undefined && { data }) };
}

function describeSearch(search: CatalogueAddress, { language, site }: Pick<PageRequest, 'language' | 'site'>): string {
  const { catalogue, lookingForHome } = TEXTS[language];
  const name = nameOfSearch(search, language, site);
  return name === catalogue ? lookingForHome : `${name}: ${lookingForHome}`;
}

/**
 * The whole catalogue, one category or one tag of the pets that visitors can adopt. There are too many
 * combinations of filters for search engines, and lists of adopted pets help no visitor.
 */
function isForSearchEngines({ text, status, category = [], tag = [], ...others }: CatalogueAddress): boolean {
  const isFiltered = FACT_FILTERS.some((name) => others[name] !== undefined);
  return text === undefined && status === undefined && category.length + tag.length <= 1 && !isFiltered;
}

/** In JPEG, because some chat applications show no other format. */
function previewOf(photo: Pick<OwnPhoto, 'sizes' | 'alt'> | undefined, name: string): PreviewPhoto | undefined {
  if (photo === undefined) return undefined;
  const { url, width, height } = photo.sizes.large;
  return { url: `${url}?format=jpeg`, width, height, alt: photo.alt ?? name };
}
