import { createHash } from 'node:crypto';
import type { PetCover } from '../../../api/records/photo.ts';
import { LOGO } from '../../../api/web/drawings.ts';
import type { EmbedOptions } from '../api/embed-options.ts';
import type { Language } from '../../../api/web/languages.ts';
import { coverSources } from '../../../api/web/photo-sources.ts';
import { shortFacts } from '../../../api/web/short-facts.ts';
import { tagNamesOf, type Pet } from '../../../domain/pets/pet.ts';
import type { Profile } from '../../../domain/pets/profile.ts';
import { nameOf, petUrl } from '../../../http/discovery/descriptions.ts';
import { emptyElement, escapeText } from '../../../http/discovery/html.ts';
import { TEXTS } from '../../../http/discovery/texts.ts';
import { FRAME_SCRIPT, FRAME_SCRIPT_SOURCE } from './embed-scripts.ts';
import { embedStyles } from './embed-styles.ts';
import { EMBED_TEXTS } from './embed-texts.ts';

/* A page for frames: cards of pets, without the application. All links open outside of the frame. */

export interface ShownPet {
  pet: Pet;
  cover: PetCover | undefined;
  profile: Profile;
}

export interface EmbedContent {
  language: Language;
  options: Pick<EmbedOptions, 'theme'> & { columns: number | undefined };
  title: string;
  pets: readonly ShownPet[];
  /** One sentence, if there are no pets. */
  note?: string;
  /** The page of the application with the same pets. */
  allUrl: string;
  /** The path of the service, for links. */
  basePath: string;
  accentColour: string | undefined;
}

export interface EmbedPage {
  html: string;
  /** The source expression of the content security policy for the styles of the page. */
  styleSource: string;
}

const TAGS_SHOWN = 3;

/** For a pet without a photo. */
const PAW = `<svg viewBox="0 0 32 32" aria-hidden="true"><path d="${LOGO.ball}"/>${LOGO.toes
  .map(({ cx, cy, rx, ry }) => `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${ry}"/>`)
  .join('')}</svg>`;

export function writeEmbedPage(content: EmbedContent): EmbedPage {
  const { language, title, pets, note, allUrl, options, accentColour } = content;
  const styles = embedStyles(options, accentColour);
  const cards = pets.map((pet) => cardOf(pet, content)).join('\n');
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeText(title)}</title>
<style>${styles}</style>
</head>
<body>
<main>
<h1>${escapeText(title)}</h1>
${pets.length === 0 ? `<p class="note">${escapeText(note ?? EMBED_TEXTS[language].none)}</p>` : `<ul>\n${cards}\n</ul>`}
<p class="all">${linkTo(allUrl, EMBED_TEXTS[language].all)}</p>
</main>
<script>${FRAME_SCRIPT}</script>
</body>
</html>
`;
  return { html, styleSource: `'sha256-${createHash('sha256').update(styles).digest('base64')}'` };
}

/** @param ancestors the sources of `frame-ancestors`; undefined if every website may show the page */
export function embedPolicy(styleSource: string, ancestors: string | undefined): string {
  return [
    "default-src 'none'",
    `script-src ${FRAME_SCRIPT_SOURCE}`,
    `style-src ${styleSource}`,
    "img-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    ...(ancestors === undefined ? [] : [`frame-ancestors ${ancestors}`]),
  ].join('; ');
}

function cardOf({ pet, cover, profile }: ShownPet, { language, basePath }: EmbedContent): string {
  const { status } = pet;
  const badge = status === undefined || status === 'available' ? '' : statusBadge(status, language);
  const tags = tagNamesOf(pet).slice(0, TAGS_SHOWN).join(' · ');
  return `<li><div class="photo">${cover === undefined ? PAW : photoOf(cover)}</div>${badge}
<div class="words"><h2 dir="auto">${linkTo(petUrl(basePath, pet.id), nameOf(pet, language))}</h2>
<p>${escapeText(factsOf(pet, profile, language).join(' · '))}</p>
${tags === '' ? '' : `<p class="tags">${escapeText(tags)}</p>`}</div></li>`;
}

function statusBadge(status: 'pending' | 'sold', language: Language): string {
  return `<span class="status ${status}">${escapeText(EMBED_TEXTS[language].status[status])}</span>`;
}

/** As on cards of the application. */
function factsOf({ category }: Pet, profile: Profile, language: Language): readonly string[] {
  const shown = { locale: language, nowMs: Date.now(), category: category?.name };
  return shortFacts(profile, TEXTS[language].facts, shown);
}

function photoOf(cover: PetCover): string {
  const { src, srcset } = coverSources(cover);
  const { width, height } = cover.sizes.medium;
  return emptyElement('img', {
    src,
    srcset,
    sizes: '(max-width: 30rem) 50vw, 16rem',
    width: String(width),
    height: String(height),
    alt: cover.alt ?? '',
    loading: 'lazy',
  });
}

function linkTo(url: string, text: string): string {
  return `<a href="${escapeText(url)}" target="_blank" rel="noopener">${escapeText(text)}</a>`;
}
