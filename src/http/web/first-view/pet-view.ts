import { catalogueQuery, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import type { OwnPhotoView } from '../../../api/photos/photo-texts.ts';
import { photoSources } from '../../../api/web/picture-sources.ts';
import { isLongName } from '../../../api/web/long-names.ts';
import type { Pet } from '../../../domain/pets/pet.ts';
import { element, textOf, trusted, type Html } from '../html.ts';
import type { PageContents } from '../page-contents.ts';
import { petName, pictureElement, statusBadge } from './pieces.ts';
import type { Classes, Words } from './words.ts';

const BACK = element(
  'svg',
  {
    viewBox: '0 0 24 24',
    width: '1.1em',
    height: '1.1em',
    'aria-hidden': 'true',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': 2,
  },
  element('path', { d: 'M19 12H5.5M12 5l-7 7 7 7' }),
);

/** One pet: its first picture, and what there is to say of it. Laid out as `src/web/pet` does it. */
export function createPetView(classes: Classes, words: Words) {
  const page = classes('pet/pet-page');
  const pictures = classes('pet/pet-pictures');
  const gallery = classes('pet/gallery');
  const facts = classes('pet/pet-facts');

  function galleryOf({ name }: Pet, photos: readonly OwnPhotoView[]): Html {
    const [photo] = photos;
    if (photo === undefined) return element('div', { class: pictures('frame') });
    const className = `${classes('design/picture')('picture')} ${gallery('picture')}`;
    const picture = pictureElement(photo, photoSources(photo), { alt: photo.alt ?? name, className, urgency: 'first' });
    const scroller = element(
      'div',
      { class: classes('pet/picture-scroller')('scroller') },
      element('span', { class: gallery('slide') }, picture),
    );
    const thumbnails = photos.length > 1 ? [element('div', { class: pictures('row') })] : [];
    return element(
      'div',
      { class: gallery('gallery') },
      element('div', { class: gallery('frame') }, scroller),
      ...thumbnails,
    );
  }

  function factsOf({ name, status, category, tags }: Pet): readonly Html[] {
    const names = [...new Set(tags.map((tag) => tag.name ?? ''))].filter((each) => each !== '');
    const ofCategory =
      category?.name === undefined || category.name === ''
        ? []
        : [
            element(
              'p',
              { class: facts('category') },
              words('pet-page', 'category'),
              trusted(' '),
              element('a', { href: searchFor({ category: [category.name] }) }, textOf(category.name)),
            ),
          ];
    return [
      element(
        'header',
        { class: facts('header') },
        ...statusBadge(status, classes, words),
        element('h1', { class: facts('name'), 'data-long': String(isLongName(name)) }, petName(name, words)),
        ...ofCategory,
      ),
      ...(status === undefined
        ? []
        : [element('p', { class: facts('meaning'), 'data-status': status }, words('pet-page', 'meaning', status))]),
      ...(names.length === 0 ? [] : [element('ul', { class: facts('tags') }, ...names.map(tagOf))]),
    ];
  }

  function tagOf(name: string): Html {
    return element('li', {}, element('a', { class: facts('tag'), href: searchFor({ tag: [name] }) }, textOf(name)));
  }

  return ({ pet, photos }: NonNullable<PageContents['subject']>): Html =>
    element(
      'div',
      { class: page('page') },
      element('a', { class: classes('pet/back-link')('back'), href: '/' }, BACK, words('pet-page', 'back')),
      element(
        'article',
        { class: page('pet') },
        element('div', { class: pictures('pictures') }, galleryOf(pet, photos)),
        element('div', { class: page('side') }, ...factsOf(pet)),
      ),
    );
}

function searchFor(search: CatalogueSearch): string {
  return `/?${catalogueQuery(search).toString()}`;
}
