import { catalogueQuery, type CatalogueAddress } from '../../../api/web/catalogue-search.ts';
import { isLanguage, type Language } from '../../../api/web/languages.ts';

/*
 * The pages that websites of others show in a frame: their addresses, and the parameters beside those of a search. The
 * administration writes them, and the service reads them.
 */

export const EMBED_PATH = '/embed/pets';

export const EMBED_SCRIPT_PATH = '/embed.js';

export const EMBED_THEMES = ['auto', 'light', 'dark'] as const;

export type EmbedTheme = (typeof EMBED_THEMES)[number];

export const EMBED_LIMITS = { pets: 50, columns: 6 } as const;

export const DEFAULT_PETS = 12;

export interface EmbedOptions {
  /** Maximum number of pets. */
  limit: number;
  /** Maximum number of columns. Absent: as many as fit. */
  columns?: number;
  /** `auto`: the theme of the reader. */
  theme: EmbedTheme;
  /** Absent: the language of the reader. */
  language?: Language;
}

/** Invalid parts are ignored, as those of a search. */
export function readEmbedOptions(query: URLSearchParams): EmbedOptions {
  const columns = numberIn(query, 'columns', EMBED_LIMITS.columns);
  const language = query.get('language') ?? undefined;
  return {
    limit: numberIn(query, 'limit', EMBED_LIMITS.pets) ?? DEFAULT_PETS,
    ...(columns !== undefined && { columns }),
    theme: EMBED_THEMES.find((each) => each === query.get('theme')) ?? 'auto',
    ...(isLanguage(language) && { language }),
  };
}

/** The query of an address, without defaults. */
export function embedQuery(
  search: CatalogueAddress,
  { limit, columns, theme, language }: Partial<EmbedOptions>,
): URLSearchParams {
  const query = catalogueQuery(search);
  if (limit !== undefined && limit !== DEFAULT_PETS) query.set('limit', String(limit));
  if (columns !== undefined) query.set('columns', String(columns));
  if (theme !== undefined && theme !== 'auto') query.set('theme', theme);
  if (language !== undefined) query.set('language', language);
  return query;
}

function numberIn(query: URLSearchParams, name: string, max: number): number | undefined {
  const text = query.get(name) ?? '';
  return /^[1-9]\d?$/.test(text) ? Math.min(Number(text), max) : undefined;
}
