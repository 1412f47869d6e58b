import type { PetCoverView } from '../../../api/photos/photo-texts.ts';
import { catalogueQuery, quickKinds, toggle, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { coverSources } from '../../../api/web/picture-sources.ts';
import type { Pet } from '../../../domain/pets/pet.ts';
import { element, textOf, trusted, type Html } from '../html.ts';
import type { FoundPets } from '../page-contents.ts';
import { petName, pictureElement, statusBadge, statusMark, type Urgency } from './pieces.ts';
import type { Classes, Words } from './words.ts';

/** So many cards are seen before anybody scrolls. */
const FIRST_PICTURES = 4;
/** As a card shows of a pet. */
const TAGS_SHOWN = 4;

/** What stands only where filters have a place beside the pets, and only where they have none. */
export const WIDE_CLASS = 'first-view-wide';
export const NARROW_CLASS = 'first-view-narrow';
/** What leads to the filters. */
export const FILTERS_CLASS = 'first-view-filters';
/** What says what may be typed. */
export const TYPED_CLASS = 'first-view-typed';

/** The catalogue: the pets that came with the page, below places for what they are searched with. Laid out as `src/web/catalogue` does it. */
export function createCatalogueView(classes: Classes, words: Words) {
  const page = classes('design/page');
  const catalogue = classes('catalogue/catalogue-page');
  const toolbar = classes('catalogue/search/toolbar');
  const card = classes('catalogue/pet-card');
  const quick = classes('catalogue/search/quick-choices');

  function cardOf(pet: Pet, cover: PetCoverView | undefined, urgency: Urgency): Html {
    const { id, name, category, status } = pet;
    const tags = pet.tags.flatMap((tag) => tag.name ?? []).slice(0, TAGS_SHOWN);
    const className = `${classes('design/picture')('picture')} ${card('picture')}`;
    const picture =
      cover === undefined
        ? []
        : [pictureElement(cover, coverSources(cover), { alt: cover.alt ?? '', className, urgency })];
    return element(
      'article',
      { class: card('card') },
      element(
        'div',
        { class: card('frame') },
        ...picture,
        element('span', { class: card('status') }, ...statusBadge(status, classes, words)),
      ),
      element(
        'div',
        { class: card('words') },
        element(
          'h2',
          { class: card('name') },
          element('a', { class: card('link'), href: `/pets/${id}`, title: name }, petName(name, words)),
        ),
        element('p', { class: card('category') }, textOf(category?.name ?? '')),
        element('p', { class: card('tags') }, textOf(tags.join(' · '))),
      ),
    );
  }

  const above = element(
    'header',
    { class: page('header') },
    element('div', {}, element('h1', { class: page('title') }, words('catalogue', 'title'))),
  );
  const tools = element(
    'div',
    { class: toolbar('toolbar'), 'aria-hidden': 'true' },
    element(
      'div',
      { class: toolbar('search') },
      element('div', { class: `${toolbar('field')} ${TYPED_CLASS}` }, words('catalogue', 'search', 'label')),
    ),
    element(
      'div',
      { class: toolbar('choices') },
      element(
        'span',
        { class: `${toolbar('filters')} ${FILTERS_CLASS} ${NARROW_CLASS}` },
        words('catalogue', 'filters', 'title'),
      ),
      element(
        'span',
        { class: toolbar('sort') },
        element('span', { class: toolbar('sortLabel') }, words('catalogue', 'sort', 'label')),
        element('select', { disabled: '' }),
      ),
    ),
  );
  const summary = element(
    'div',
    { class: catalogue('summary') },
    // The application counts; without scripts, nothing is missing.
    element('p', { class: catalogue('count') }, trusted('&nbsp;')),
  );

  /** They can be followed without any script: what was chosen stays chosen. */
  function quickChoices(search: CatalogueSearch, kinds: readonly string[]): Html {
    const choice = (change: Partial<CatalogueSearch>, isChosen: boolean, ...content: readonly Html[]) => {
      const href = `/?${catalogueQuery({ ...search, ...change }).toString()}`;
      const attributes = { class: quick('choice'), href, 'data-quick': '', ...(isChosen && { 'data-chosen': '' }) };
      return element('li', {}, element('a', attributes, ...content));
    };
    const { status, category } = search;
    const mark = element('span', { class: quick('mark') }, statusMark('available'));
    return element(
      'ul',
      { class: `${quick('quick')} ${NARROW_CLASS}` },
      choice(
        { status: toggle(status, 'available') },
        status?.includes('available') === true,
        mark,
        element('span', { class: quick('name') }, words('pet', 'status', 'available')),
      ),
      ...quickKinds(kinds, search).map((name) =>
        choice(
          { category: toggle(category, name) },
          category?.includes(name) === true,
          element('span', { class: quick('name') }, textOf(name)),
        ),
      ),
    );
  }

  return ({ search, pets, covers, kinds }: FoundPets): Html => {
    const coverOf = new Map(covers.map((cover) => [cover.petId, cover]));
    const cards = pets.map((pet, place) =>
      element('li', {}, cardOf(pet, coverOf.get(pet.id), place < FIRST_PICTURES ? 'first' : 'later')),
    );
    return element(
      'div',
      { class: page('page') },
      above,
      element(
        'div',
        { class: catalogue('columns') },
        element('div', { class: catalogue('top') }, tools, quickChoices(search, kinds)),
        element('div', { class: `${catalogue('side')} ${WIDE_CLASS}` }),
        element(
          'div',
          { class: catalogue('main') },
          summary,
          element('ul', { class: classes('catalogue/pet-grid')('grid') }, ...cards),
        ),
      ),
    );
  };
}
