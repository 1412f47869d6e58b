import type { PhotoSize } from '../../domain/photos/photo.ts';

/*
 * The `srcset` and `sizes` of photos. The service writes them into the preload links of a page, and the application
 * into its images; if they differ, the browser loads a photo twice.
 */

export interface SizedPhoto {
  sizes: Readonly<Record<PhotoSize, { url: string; width: number }>>;
}

export interface PhotoSources {
  /** For browsers without `srcset`. */
  src: string;
  srcset: string;
  sizes: string;
}

/** Cards are in columns of at least 17rem, two on a phone. */
const CARD_SIZES = '(max-width: 40rem) 50vw, 20rem';

/** The gallery has the full width of a phone, and on a page of 84 to 120rem it is beside the details of the pet. */
const GALLERY_SIZES = '(max-width: 62rem) 100vw, (max-width: 100rem) 50rem, 70rem';

/** The sources of a photo for the card of a pet. */
export function coverSources(photo: SizedPhoto): PhotoSources {
  return {
    src: pathOf(photo.sizes.medium.url),
    srcset: srcsetOf(photo, ['small', 'card', 'medium']),
    sizes: CARD_SIZES,
  };
}

/** The sources of the large photo of a gallery. */
export function photoSources(photo: SizedPhoto): PhotoSources {
  return {
    src: pathOf(photo.sizes.large.url),
    srcset: srcsetOf(photo, ['small', 'card', 'medium', 'large']),
    sizes: GALLERY_SIZES,
  };
}

/** The sources of a small photo of this width. */
export function thumbnailSources({ sizes: { small } }: SizedPhoto, width: string): PhotoSources {
  const path = pathOf(small.url);
  return { src: path, srcset: `${path} ${small.width}w`, sizes: width };
}

/**
 * Without sizes of equal width: a photo that is smaller than a size has the same width in it as in the next smaller
 * one.
 */
function srcsetOf({ sizes }: SizedPhoto, names: readonly PhotoSize[]): string {
  const widths = new Map(names.toReversed().map((name) => [sizes[name].width, pathOf(sizes[name].url)]));
  return [...widths]
    .toReversed()
    .map(([width, url]) => `${url} ${width}w`)
    .join(', ');
}

/**
 * The path of a URL, to load it from the host of the page: behind a TLS proxy, the service may believe that it is
 * reached over http, from where the policy of the page forbids images.
 */
export function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname;
}
