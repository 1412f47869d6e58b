import type { PetStatus } from '../../../domain/pets/pet.ts';
import type { Profile } from '../../../domain/pets/profile.ts';
import { AGE_GROUPS, ageGroupOf, type AgeGroup } from '../../../domain/search/ages.ts';

/** A pet as listing sites get it: what everyone may read of it. */
export interface ListingPet {
  id: bigint;
  name: string;
  /** The URL of its page. */
  url: string;
  status: PetStatus | undefined;
  category: string | undefined;
  tags: readonly string[];
  /** Without private fields. */
  profile: Profile;
  /** Whether the fee is left out, because neither the pet nor the organisation has a currency. */
  lacksCurrency: boolean;
  /** The description as plain text, with line breaks. Empty without one. */
  story: string;
  photos: readonly ListingPhoto[];
  changedAtMs: number;
}

export interface ListingPhoto {
  url: string;
  /** Undefined for a photo of another website. */
  pixels: { width: number; height: number } | undefined;
}

/** The words of all sites for age groups, which divide ages as the catalogue does. */
export type AgeWord = 'Baby' | 'Young' | 'Adult' | 'Senior';

const AGE_WORDS: Readonly<Record<AgeGroup, AgeWord>> = {
  baby: 'Baby',
  young: 'Young',
  adult: 'Adult',
  senior: 'Senior',
};

export const ALL_AGE_WORDS: readonly AgeWord[] = AGE_GROUPS.map((group) => AGE_WORDS[group]);

/** Undefined if the day of birth is unknown. */
export function ageWordOf(profile: Profile, nowMs: number): AgeWord | undefined {
  const group = ageGroupOf(profile, nowMs);
  return group === undefined ? undefined : AGE_WORDS[group];
}

/** A value on one line: no site reads line breaks in a cell. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A text of several lines in one, with a mark of the site for each line break. */
export function withBreaks(text: string, mark: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(oneLine)
    .join(mark);
}

/** Text for a site that shows it as HTML. */
export function htmlText(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return withBreaks(escaped, '<br>');
}

/** The summary and the story, with an empty line between them. */
export function wholeStory({ profile, story }: Pick<ListingPet, 'profile' | 'story'>): string {
  return [profile.summary ?? '', story].filter((part) => part !== '').join('\n\n');
}

/** @param date such as `2026-11-26` @returns such as `11/26/2026` */
export function monthFirst(date: string | undefined): string {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date ?? '') ?? [];
  return year === '' ? '' : `${month}/${day}/${year}`;
}

/** The address of the first video at YouTube, the only one that sites show. */
export function youTubeUrl(urls: readonly string[] | undefined): string {
  for (const text of urls ?? []) {
    const url = URL.parse(text);
    const host = url?.hostname.replace(/^(?:www|m)\./, '');
    const id =
      host === 'youtu.be' ? url?.pathname.slice(1) : host === 'youtube.com' ? url?.searchParams.get('v') : null;
    if (id !== null && id !== undefined && /^[\w-]{6,20}$/.test(id)) return `https://www.youtube.com/watch?v=${id}`;
  }
  return '';
}
