import { addressedSearch, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { EMBED_PATH, EMBED_SCRIPT_PATH, embedQuery, type EmbedOptions } from '../api/embed-options.ts';

/* The texts to paste into other websites. */

/** The height of a frame that does not follow its content, in pixels. */
const PLAIN_HEIGHT = 800;

interface Snippet {
  /** Where the service is reached, with its path. */
  base: string;
  /** The filters and options. */
  query: string;
  /** For screen readers. */
  title: string;
}

export function queryOf(search: CatalogueSearch, options: EmbedOptions): string {
  return embedQuery(addressedSearch(search, false), options).toString();
}

/** The path of the page for frames, below the service. */
export function framePath(query: string): string {
  return query === '' ? EMBED_PATH : `${EMBED_PATH}?${query}`;
}

/** The script, with which the frame has the height of its content. */
export function scriptSnippet({ base, query, title }: Snippet): string {
  const attributes = [
    `src="${escaped(base + EMBED_SCRIPT_PATH)}"`,
    ...(query === '' ? [] : [`data-query="${escaped(query)}"`]),
    `data-title="${escaped(title)}"`,
  ];
  return `<script async ${attributes.join(' ')}></script>`;
}

/** Only the frame. */
export function frameSnippet({ base, query, title }: Snippet): string {
  const attributes = [
    `src="${escaped(base + framePath(query))}"`,
    `title="${escaped(title)}"`,
    `width="100%" height="${PLAIN_HEIGHT}" style="border:0" loading="lazy"`,
  ];
  return `<iframe ${attributes.join(' ')}></iframe>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}
