import { BOOTSTRAP_ID, type Bootstrap } from '../../contract/web/bootstrap.ts';
import type { PictureSources } from '../../contract/web/picture-sources.ts';
import type { Preloads } from './first-pieces.ts';
import type { PageSummary } from './page-head.ts';
import { EARLY_SCRIPT } from './policy.ts';
import type { WebBuild } from './web-build.ts';

const HEAD_MARK = '<!--head-->';
const BOOTSTRAP_MARK = '<!--bootstrap-->';
const TITLE = /<title>[^<]*<\/title>\s*/;

export interface PageContent {
  nonce: string;
  summary: PageSummary;
  preloads: Preloads;
  /** Pictures that are seen first, the most important one in front. */
  pictures: readonly PictureSources[];
  bootstrap: Bootstrap;
}

/** Makes pages of what was built. @throws Error where the marks are missing: then it is no build of this application */
export function createPageWriter({ html }: Pick<WebBuild, 'html'>): (content: PageContent) => string {
  const [before, afterHead] = halves(html.replace(TITLE, ''), HEAD_MARK);
  const [between, after] = halves(afterHead, BOOTSTRAP_MARK);
  return (content) => `${before}${headOf(content)}${between}${bootstrapOf(content.bootstrap)}${after}`;
}

function halves(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`The page of the web application has no ${mark} in it: build it again.`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

function headOf({ nonce, summary, preloads, pictures }: PageContent): string {
  const { title, description, card } = summary;
  return [
    element('meta', { property: 'csp-nonce', nonce }),
    `<script>${EARLY_SCRIPT}</script>`,
    `<title>${escapeText(title)}</title>`,
    element('meta', { name: 'description', content: description }),
    ...(card === undefined ? [] : cardOf(card, description)),
    ...pictures.map(preloadOf),
    ...preloads.styles.map((href) => element('link', { rel: 'stylesheet', crossorigin: '', href })),
    ...preloads.scripts.map((href) => element('link', { rel: 'modulepreload', crossorigin: '', href })),
  ].join('\n    ');
}

/** As services that show links read it (https://ogp.me). */
function cardOf({ title, url, image }: NonNullable<PageSummary['card']>, description: string): readonly string[] {
  const properties = { title, description, url, type: 'website', site_name: 'Menagerie', ...(image && { image }) };
  return Object.entries(properties).map(([name, content]) => element('meta', { property: `og:${name}`, content }));
}

function preloadOf({ srcset, sizes }: PictureSources, place: number): string {
  const urgency = place === 0 ? { fetchpriority: 'high' } : {};
  return element('link', { rel: 'preload', as: 'image', imagesrcset: srcset, imagesizes: sizes, ...urgency });
}

/** In a script, only what looks like a tag or, to older readers, like the end of a line has a meaning beyond JSON. */
function bootstrapOf(bootstrap: Bootstrap): string {
  const text = JSON.stringify(bootstrap)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
  return `<script type="application/json" id="${BOOTSTRAP_ID}">${text}</script>`;
}

function element(name: string, attributes: Readonly<Record<string, string>>): string {
  const texts = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${escapeText(value)}"`);
  return `<${name}${texts.join('')}>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}
