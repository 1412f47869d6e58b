import { STATUS_MARKS } from '../../../api/web/drawings.ts';
import type { PictureSources } from '../../../api/web/picture-sources.ts';
import type { PetStatus } from '../../../domain/pets/pet.ts';
import { element, textOf, type Html } from '../html.ts';
import type { Classes, Words } from './words.ts';

/** A picture as it is told to the application. */
export interface ViewedPicture {
  alt: string | null;
  width: number;
  height: number;
}

/** Of pictures that are seen at once, and of all others. */
export type Urgency = 'first' | 'later';

/** The attributes of a picture, in the words of the application: the browser has it already when the application shows it. */
export function pictureElement(
  picture: ViewedPicture,
  { sizes, srcset, src }: PictureSources,
  { alt, className, urgency }: { alt: string; className: string; urgency: Urgency },
): Html {
  return element('img', {
    class: className,
    // Before the address: an attribute that comes after it comes too late.
    ...(urgency === 'first' ? { fetchpriority: 'high' } : { loading: 'lazy' }),
    width: picture.width,
    height: picture.height,
    alt,
    sizes,
    srcset,
    src,
  });
}

/** Where a pet stands. Nothing for a pet without a status. */
export function statusBadge(status: PetStatus | undefined, classes: Classes, words: Words): readonly Html[] {
  if (status === undefined) return [];
  return [
    element(
      'span',
      { class: classes('design/status-badge')('badge'), 'data-status': status },
      statusMark(status),
      words('pet', 'status', status),
    ),
  ];
}

export function statusMark(status: PetStatus): Html {
  return element(
    'svg',
    { viewBox: '0 0 16 16', width: '0.85em', height: '0.85em', 'aria-hidden': 'true', fill: 'currentColor' },
    element('path', { 'fill-rule': 'evenodd', d: STATUS_MARKS[status] }),
  );
}

/** The name of a pet, which may be blank. */
export function petName(name: string, words: Words): Html {
  return name.trim() === '' ? words('pet', 'unnamed') : textOf(name);
}
