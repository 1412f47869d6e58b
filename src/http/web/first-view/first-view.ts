import { LOGO } from '../../../api/web/drawings.ts';
import type { Language } from '../../../api/web/languages.ts';
import type { Looks } from '../../../api/web/looks.ts';
import type { PagePath } from '../../../api/web/page-addresses.ts';
import type { AccessMode } from '../../../domain/access.ts';
import { element, textOf, trusted, type Html } from '../html.ts';
import type { PageContents } from '../page-contents.ts';
import { createCatalogueView, FILTERS_CLASS, NARROW_CLASS, TYPED_CLASS, WIDE_CLASS } from './catalogue-view.ts';
import { createPetView } from './pet-view.ts';
import { createClasses, createWords, FIRST_VIEW_CLASS, type Classes, type Words } from './words.ts';

/*
 * What is seen of a page before the application is there: the pictures, and what stands beside them, in the very places where the application will put
 * them. So a telephone on a slow line shows the pets when it has the page, the style sheets and the pictures; the scripts, which are more than all of that,
 * come while somebody looks already. It can be read, and its links lead on, without any script.
 */

/** As `catalogue-page.tsx` decides whether filters have a place beside the pets. */
const WIDE = '62rem';

/** The button for the filters, as wide as its word. */
const FILTERS_WIDTH = '7.4rem';

export interface FirstViews {
  /** For an element of style: what is shown only on wide or narrow screens. */
  css: string;
  /** Undefined for a page that shows nothing of what came with it. */
  of: (language: Language, path: PagePath | undefined, contents: PageContents, access: AccessMode) => Html | undefined;
}

/** @throws Error where the looks are those of another version of the application */
export function createFirstViews(looks: Looks): FirstViews {
  const classes = createClasses(looks);
  const viewsOf = (language: Language) => {
    const words = createWords(looks, language);
    return {
      ofCatalogue: createCatalogueView(classes, words),
      ofPet: createPetView(classes, words),
      inShell: createShell(classes, words),
    };
  };
  const views = { en: viewsOf('en'), de: viewsOf('de') };

  return {
    css: [
      `.${FILTERS_CLASS}{width:${FILTERS_WIDTH}}`,
      `.${TYPED_CLASS}{line-height:1.75rem;color:var(--ink-soft)!important;overflow:hidden;white-space:nowrap}`,
      `@media (min-width:${WIDE}){.${NARROW_CLASS}{display:none!important}}`,
      `@media not all and (min-width:${WIDE}){.${WIDE_CLASS}{display:none!important}}`,
    ].join(''),
    of: (language, path, { found, subject }, access) => {
      const { ofCatalogue, ofPet, inShell } = views[language];
      if (path === '/pets/$petId' && subject !== undefined) return inShell(ofPet(subject), access);
      // If nothing was found, the application has more to say than an empty list.
      if (path !== '/' || found === undefined || found.pets.length === 0) return undefined;
      return inShell(ofCatalogue(found), access);
    },
  };
}

/** What every page stands in, as `src/web/app` lays it out; without what only the application can do. */
function createShell(classes: Classes, words: Words) {
  const shell = classes('app/shell');
  const bar = classes('app/navigation');
  const logo = element(
    'svg',
    { viewBox: '0 0 32 32', width: '2rem', height: '2rem', 'aria-hidden': 'true' },
    element('path', { d: LOGO.gate, fill: 'var(--accent)' }),
    element(
      'g',
      { fill: 'var(--on-accent)' },
      ...LOGO.toes.map((toe) => element('ellipse', toe)),
      element('path', { d: LOGO.ball }),
    ),
  );
  const header = element(
    'header',
    { class: bar('bar') },
    element('a', { class: bar('home'), href: '/' }, logo, element('span', {}, textOf('Menagerie'))),
    // As high as what stands in it later.
    element('div', { class: bar('links') }, element('span', { class: bar('link') }, trusted('&nbsp;'))),
  );
  const sandbox = element('p', { class: shell('notice') }, words('app', 'sandbox'));

  return (content: Html, access: AccessMode): Html =>
    element(
      'div',
      { class: `${shell('shell')} ${FIRST_VIEW_CLASS}`, 'aria-busy': 'true' },
      header,
      ...(access === 'sandbox' ? [sandbox] : []),
      element('main', { class: shell('main') }, content),
    );
}
