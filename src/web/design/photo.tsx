import { useState, useSyncExternalStore } from 'react';
import type * as ThumbHash from 'thumbhash';
import type { PhotoSources, SizedPhoto } from '../../api/web/photo-sources.ts';
import { firstIdle } from '../service/browser.ts';
import type { PetPhotoView } from '../service/queries.ts';
import styles from './photo.module.css';

/** Cards are mounted again while the user scrolls: each placeholder is decoded once. */
const cache = new Map<string, string | undefined>();
const MAX_CACHED = 500;

/** The decoder. It is loaded when the page is idle: the photos that the page begins with are loaded before. */
let library: typeof ThumbHash | undefined;

function subscribeToLibrary(onChange: () => void): () => void {
  const load = async () => {
    await firstIdle();
    library ??= await import('thumbhash');
    onChange();
  };
  // Without it, photos have no preview.
  if (library === undefined) void load().catch(() => {});
  return () => {};
}

/**
 * Returns a blurred preview as a `data:` URL, undefined if there is none, or none yet.
 *
 * @param hash a ThumbHash in Base64
 */
export function usePlaceholder(hash: string | null): string | undefined {
  useSyncExternalStore(
    subscribeToLibrary,
    () => library,
    () => undefined,
  );
  if (hash === null || library === undefined) return undefined;
  if (!cache.has(hash)) {
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(hash, decode(hash, library));
  }
  return cache.get(hash);
}

function decode(hash: string, { thumbHashToDataURL }: NonNullable<typeof library>): string | undefined {
  try {
    return thumbHashToDataURL(Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0)));
  } catch {
    // An invalid placeholder must not break the photo.
    return undefined;
  }
}

interface PhotoProps {
  photo: SizedPhoto & { width: number; height: number; placeholder: string | null };
  /** The candidate sizes and the displayed width: `coverSources` or `photoSources`. */
  sources: PhotoSources;
  alt: string;
  /** Visible at first: loaded before all others. The others are loaded when they come near the screen. */
  isFirst?: boolean;
  /** Sets the displayed size. The aspect ratio comes from the photo. */
  className?: string | undefined;
  onError?: () => void;
}

/** A photo stored by this service. Until it is loaded, its space shows a blurred preview. */
export function Photo({ photo, sources, alt, isFirst = false, className = '', onError }: PhotoProps) {
  const [shown, setShown] = useState<string>();
  const url = usePlaceholder(photo.placeholder);
  const placeholder = shown === sources.src ? undefined : url;
  return (
    <img
      className={`${styles['photo']} ${className}`}
      style={placeholder === undefined ? undefined : { backgroundImage: `url("${placeholder}")` }}
      // Before `src`: attributes that are set after it have no effect on the request.
      loading={isFirst ? 'eager' : 'lazy'}
      // Synchronous for a photo of the first view: it would flicker when the application replaces the first view.
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

/** A photo stored by this service; others are links to other hosts. */
export type StoredPhoto = Extract<PetPhotoView, { digest: string }>;

export function isStoredPhoto(photo: PetPhotoView): photo is StoredPhoto {
  return 'digest' in photo;
}

/**
 * Returns the address of a photo on another host, undefined unless it is an HTTP URL: a pet could contain a
 * `javascript:` URL.
 */
export function findWebAddress(url: string): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  return address.protocol === 'https:' || address.protocol === 'http:' ? address : undefined;
}

/** The description of a photo, or a fallback. */
export function altOf({ alt }: StoredPhoto, otherwise: string): string {
  return alt ?? otherwise;
}
