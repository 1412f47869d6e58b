import { useState } from 'react';
import { thumbHashToDataURL } from 'thumbhash';
import type { PictureSources, SizedPhoto } from '../../api/web/picture-sources.ts';
import styles from './picture.module.css';
import type { PetPhotoView } from '../service/queries.ts';

/** Cards are mounted again while the user scrolls: each placeholder is decoded once. */
const cache = new Map<string, string | undefined>();
const MAX_CACHED = 500;

/**
 * Returns a blurred preview as a `data:` URL, undefined if there is none.
 *
 * @param hash a ThumbHash in Base64
 */
export function placeholderUrl(hash: string | null): string | undefined {
  if (hash === null) return undefined;
  if (!cache.has(hash)) {
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(hash, decode(hash));
  }
  return cache.get(hash);
}

function decode(hash: string): string | undefined {
  try {
    return thumbHashToDataURL(Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0)));
  } catch {
    // An invalid placeholder must not break the photo.
    return undefined;
  }
}

interface PictureProps {
  photo: SizedPhoto & { width: number; height: number; placeholder: string | null };
  /** Which sizes of it are offered, and how wide it is shown: `coverSources` or `photoSources`. */
  sources: PictureSources;
  alt: string;
  /** Seen as soon as the page is: loaded before all others. Else it is loaded when it comes near the screen. */
  isFirst?: boolean;
  /** Says how large it is shown; the shape of the picture is known to the browser. */
  className?: string | undefined;
  /** It could not be loaded. */
  onError?: () => void;
}

/** A picture of this service. Its place is kept, and has its colours, until it is there. */
export function Picture({ photo, sources, alt, isFirst = false, className = '', onError }: PictureProps) {
  const [shown, setShown] = useState<string>();
  const placeholder = shown === sources.src ? undefined : placeholderUrl(photo.placeholder);
  return (
    <img
      className={`${styles['picture']} ${className}`}
      style={placeholder === undefined ? undefined : { backgroundImage: `url("${placeholder}")` }}
      // Before the address: an attribute that comes after it comes too late.
      loading={isFirst ? 'eager' : 'lazy'}
      // Synchronous for a photo of the first view: it would disappear for a moment when the application replaces the first view.
      decoding={isFirst ? 'sync' : 'async'}
      fetchPriority={isFirst ? 'high' : 'auto'}
      width={photo.width}
      height={photo.height}
      alt={alt}
      sizes={sources.sizes}
      srcSet={sources.srcset}
      src={sources.src}
      onLoad={() => setShown(sources.src)}
      onError={onError}
    />
  );
}

/** A photo of this service; others are links to other hosts. */
export type OwnPicture = Extract<PetPhotoView, { digest: string }>;

export function isOwnPicture(photo: PetPhotoView): photo is OwnPicture {
  return 'digest' in photo;
}

/** Returns the address of a photo on another host, undefined unless it is an HTTP URL: a pet could contain a `javascript:` URL. */
export function findWebAddress(url: string): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  return address.protocol === 'https:' || address.protocol === 'http:' ? address : undefined;
}

/** The description of a photo, or a fallback. */
export function altOf({ alt }: OwnPicture, otherwise: string): string {
  return alt ?? otherwise;
}
