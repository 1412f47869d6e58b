import type { PhotoSize } from '../../domain/photos/photo.ts';

/*
 * Which size of a picture a browser takes. The service says it in the head of the page and the application in its pictures, in the same words: else
 * a browser loads one picture twice.
 */

/** As much as must be known of a picture of ours. */
export interface SizedPhoto {
  sizes: Readonly<Record<PhotoSize, { url: string; width: number }>>;
}

export interface PictureSources {
  /** For who knows no srcset. */
  src: string;
  srcset: string;
  sizes: string;
}

/** The cards stand in columns of at least 17rem, two of them on a telephone. */
const CARD_SIZES = '(max-width: 40rem) 50vw, 20rem';

/** The gallery is as wide as a telephone, and beside what is told of the pet in a page of 84 to 120rem. */
const GALLERY_SIZES = '(max-width: 62rem) 100vw, (max-width: 100rem) 50rem, 70rem';

/** For the card of a pet. */
export function coverSources(photo: SizedPhoto): PictureSources {
  return {
    src: pathOf(photo.sizes.medium.url),
    srcset: srcsetOf(photo, ['small', 'card', 'medium']),
    sizes: CARD_SIZES,
  };
}

/** For the large picture of a gallery. */
export function photoSources(photo: SizedPhoto): PictureSources {
  return {
    src: pathOf(photo.sizes.large.url),
    srcset: srcsetOf(photo, ['small', 'card', 'medium', 'large']),
    sizes: GALLERY_SIZES,
  };
}

/** For a place of this width, where a small picture will do. */
export function thumbnailSources({ sizes: { small } }: SizedPhoto, width: string): PictureSources {
  const path = pathOf(small.url);
  return { src: path, srcset: `${path} ${small.width}w`, sizes: width };
}

/** A picture that is smaller than a size has the same width in it and in the one below: a width that is named twice is passed over. */
function srcsetOf({ sizes }: SizedPhoto, names: readonly PhotoSize[]): string {
  const widths = new Map(names.toReversed().map((name) => [sizes[name].width, pathOf(sizes[name].url)]));
  return [...widths]
    .toReversed()
    .map(([width, url]) => `${url} ${width}w`)
    .join(', ');
}

/**
 * On the host of the page, whatever it calls itself: behind a proxy that speaks TLS the service may take itself for http, and the policy of the page
 * forbids pictures from there.
 */
export function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname;
}
