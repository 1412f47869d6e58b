import { useState } from 'react';
import type { PictureSources, SizedPhoto } from '../../api/web/picture-sources.ts';
import styles from './picture.module.css';
import { placeholderUrl } from './placeholder.ts';

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
