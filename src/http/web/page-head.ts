import type { Pet } from '../../domain/pets/pet.ts';
import type { PageContents } from './first-responses.ts';

/** The metadata of a page, for search engines and link previews. */
export interface PageSummary {
  title: string;
  description: string;
  /** The link preview (Open Graph). */
  card: { title: string; url: string; image: string | undefined } | undefined;
}

const NAME = 'Menagerie';
const DESCRIPTION = 'Pets looking for a home, with photos.';

/** Maximum length of a description. A pet may have a hundred long tags. */
const DESCRIPTION_LENGTH = 300;

/** @param url the absolute URL of the page */
export function summaryOf({ subject }: PageContents, url: string): PageSummary {
  if (subject === undefined) return { title: NAME, description: DESCRIPTION, card: undefined };
  const { pet, photos } = subject;
  const description = descriptionOf(pet);
  const image = photos[0]?.sizes.large.url;
  return { title: `${pet.name} - ${NAME}`, description, card: { title: pet.name, url, image } };
}

function descriptionOf({ name, category, status, tags }: Pet): string {
  const words = [category?.name, status, ...tags.map((tag) => tag.name)].filter((word) => word !== undefined);
  const text = words.length === 0 ? name : `${name}: ${words.join(', ')}`;
  return text.length > DESCRIPTION_LENGTH ? `${text.slice(0, DESCRIPTION_LENGTH).toWellFormed()}...` : text;
}
