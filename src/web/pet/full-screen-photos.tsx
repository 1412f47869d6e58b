import { X } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { photoSources } from '../../api/web/photo-sources.ts';
import { Photo, altOf, type StoredPhoto } from '../design/photo.tsx';
import { useBackToClose } from '../design/back-to-close.ts';
import gallery from './gallery.module.css';
import styles from './full-screen-photos.module.css';
import { PhotoScroller, useSlides } from './photo-scroller.tsx';
import { SlideControls } from './slide-controls.tsx';
import controls from './slide-controls.module.css';

interface FullScreenPhotosProps {
  name: string;
  photos: readonly StoredPhoto[];
  first: number;
  /** Receives the index of the last visible photo. */
  onClose: (seen: number) => void;
}

/** Photos in full screen. The native dialog traps the focus, closes with Escape, and returns the focus. */
export function FullScreenPhotos({ name, photos, first, onClose }: FullScreenPhotosProps) {
  const t = useTranslations('petPage.gallery');
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the slides are positioned: in a closed dialog, nothing has a size.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const scroller = useRef<HTMLUListElement>(null);
  useBackToClose(() => dialog.current?.close());
  const slides = useSlides(scroller, { count: photos.length, first });
  return (
    <dialog
      ref={dialog}
      className={styles['dialog']}
      aria-label={t('label', { name })}
      onKeyDown={slides.onKeyDown}
      onClose={() => onClose(slides.current)}
    >
      <PhotoScroller scroller={scroller} onScroll={slides.onScroll} label={t('label', { name })}>
        {photos.map((photo, index) => (
          <li key={photo.digest}>
            <Photo
              photo={photo}
              sources={{ ...photoSources(photo), sizes: '100vw' }}
              alt={altOf(photo, t('numbered', { name, number: index + 1 }))}
              isFirst={index === first}
              className={gallery['photo']}
            />
          </li>
        ))}
      </PhotoScroller>
      {photos.length > 1 && <SlideControls slides={slides} count={photos.length} />}
      <button
        type="button"
        className={`${controls['button']} ${controls['close']}`}
        aria-label={t('close')}
        onClick={() => dialog.current?.close()}
      >
        <X aria-hidden />
      </button>
    </dialog>
  );
}
