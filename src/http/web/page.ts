import { BOOTSTRAP_ID, type Bootstrap } from '../../api/web/bootstrap.ts';
import { PAPER } from '../../api/web/drawings.ts';
import type { Language } from '../../api/web/languages.ts';
import { emptyElement, escapeText } from '../discovery/html.ts';
import { TEXTS } from '../discovery/texts.ts';
import type { PageSummary } from './page-head.ts';
import { EARLY_SCRIPT } from './policy.ts';
import type { WebBuild } from './web-build.ts';

const LANGUAGE_MARK = ' lang="en"';
const HEAD_MARK = '<!--head-->';
const STYLES_MARK = '<!--styles-->';
const PRELOADS_MARK = '<!--preloads-->';
const VIEW_MARK = '<!--first-view-->';
const BOOTSTRAP_MARK = '<!--bootstrap-->';
const TITLE = /<title>[^<]*<\/title>\s*/;

interface PageContent {
  language: Language;
  summary: PageSummary;
  /** The paths of further scripts that the page needs, loaded together with the application. */
  preloads: readonly string[];
  /** The paths of further style sheets that the page needs. */
  styleSheets: readonly string[];
  /** CSS, which the policy of the page must allow. */
  inlineStyles?: string | undefined;
  /** The HTML of the first view. */
  view: string | undefined;
  bootstrap: Bootstrap;
}

/** Returns a function that writes pages from the build. @throws Error if the built page lacks a placeholder */
export function createPageWriter({
  html,
  basePath,
}: Pick<WebBuild, 'html' | 'basePath'>): (content: PageContent) => string {
  const looks = looksAt(basePath);
  const [root, afterRoot] = halves(html.replace(TITLE, ''), LANGUAGE_MARK);
  const [before, afterHead] = halves(afterRoot, HEAD_MARK);
  const [styles, afterStyles] = halves(afterHead, STYLES_MARK);
  const [template, afterPreloads] = halves(afterStyles, PRELOADS_MARK);
  const [scripts, afterView] = halves(afterPreloads, VIEW_MARK);
  const [body, after] = halves(afterView, BOOTSTRAP_MARK);
  return (content) => {
    const { language, summary, view, bootstrap } = content;
    return [
      root,
      ` lang="${language}"`,
      before,
      headOf(content, looks),
      styles,
      styleLinksOf(content),
      template,
      preloadsOf(content),
      scripts,
      view ?? '',
      body,
      view === undefined ? needsScripts(language, bootstrap.basePath) : '',
      dataBlock({ type: 'application/json', id: BOOTSTRAP_ID }, bootstrap),
      ...(summary.data === undefined ? [] : [dataBlock({ type: 'application/ld+json' }, summary.data)]),
      after,
    ].join('');
  };
}

function halves(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`The page of the web application has no ${mark} in it: build it again.`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

/** The icons of the build, and the color of the browser's UI. */
const looksAt = (basePath: string): readonly string[] => [
  ...Object.entries(PAPER).map(([scheme, content]) =>
    emptyElement('meta', { name: 'theme-color', media: `(prefers-color-scheme: ${scheme})`, content }),
  ),
  emptyElement('link', { rel: 'icon', href: `${basePath}/favicon.ico`, sizes: '32x32' }),
  emptyElement('link', { rel: 'icon', href: `${basePath}/favicon.svg`, type: 'image/svg+xml' }),
  emptyElement('link', { rel: 'apple-touch-icon', href: `${basePath}/apple-touch-icon.png` }),
];

function headOf({ summary, inlineStyles, bootstrap }: PageContent, looks: readonly string[]): string {
  const { title, description, canonical, translations = [], card, alternates = [] } = summary;
  return [
    ...looks,
    emptyElement('link', { rel: 'manifest', href: `${bootstrap.basePath}/manifest.webmanifest` }),
    ...(inlineStyles === undefined ? [] : [`<style>${inlineStyles}</style>`]),
    `<script>${EARLY_SCRIPT}</script>`,
    `<title>${escapeText(title)}</title>`,
    emptyElement('meta', { name: 'application-name', content: bootstrap.site.name }),
    emptyElement('meta', { name: 'description', content: description }),
    canonical === undefined
      ? emptyElement('meta', { name: 'robots', content: 'noindex' })
      : emptyElement('link', { rel: 'canonical', href: canonical }),
    ...[...translations, ...alternates].map((link) => emptyElement('link', { rel: 'alternate', ...link })),
    ...(card === undefined ? [] : cardOf(card, description)),
  ].join('\n    ');
}

function preloadsOf({ preloads }: PageContent): string {
  return preloads
    .map((href) => `\n      ${emptyElement('link', { rel: 'modulepreload', crossorigin: '', href })}`)
    .join('');
}

function styleLinksOf({ styleSheets }: PageContent): string {
  return styleSheets.map((href) => emptyElement('link', { rel: 'stylesheet', crossorigin: '', href })).join('');
}

/** Open Graph metadata, for link previews (https://ogp.me). X reads it as well, except for the form of its cards. */
function cardOf(
  { title, url, siteName, photo }: NonNullable<PageSummary['card']>,
  description: string,
): readonly string[] {
  const properties = { title, description, url, type: 'website', site_name: siteName, ...(photo && photoOf(photo)) };
  return [
    ...Object.entries(properties).map(([name, content]) =>
      emptyElement('meta', { property: `og:${name}`, content: String(content) }),
    ),
    emptyElement('meta', { name: 'twitter:card', content: photo === undefined ? 'summary' : 'summary_large_image' }),
  ];
}

function photoOf({ url, width, height, alt }: NonNullable<NonNullable<PageSummary['card']>['photo']>) {
  return { image: url, 'image:type': 'image/jpeg', 'image:width': width, 'image:height': height, 'image:alt': alt };
}

/**
 * JSON in a script element: data, which browsers do not run and the policy does not restrict. Escapes characters that
 * have a meaning beyond JSON there: tags, and line terminators for older parsers.
 */
function dataBlock({ type, id }: { type: string; id?: string }, data: object): string {
  const text = JSON.stringify(data)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
  return `<script type="${type}"${id === undefined ? '' : ` id="${id}"`}>${text}</script>`;
}

function needsScripts(language: Language, basePath: string): string {
  const { needsScripts: text, catalogue } = TEXTS[language];
  return `<noscript><p>${escapeText(text)} <a href="${escapeText(basePath)}/">${escapeText(catalogue)}</a></p></noscript>`;
}
