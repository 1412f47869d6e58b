import { useLayoutEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { photoSources } from '../../api/web/picture-sources.ts';
import { Picture, altOf, type OwnPicture } from '../design/picture.tsx';
import styles from './full-screen-pictures.module.css';
import { PictureScroller, useSlides } from './picture-scroller.tsx';
import { CloseButton, SlideControls } from './slide-controls.tsx';

interface FullScreenPicturesProps {
  name: string;
  photos: readonly OwnPicture[];
  first: number;
  /** With the one that was seen last. */
  onClose: (seen: number) => void;
}

/** One picture as large as the screen. The browser keeps the focus inside, closes it with Escape, and brings the focus back. */
export function FullScreenPictures({ name, photos, first, onClose }: FullScreenPicturesProps) {
  const t = useTranslations('petPage.gallery');
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the slides are put in their place: until it is open, nothing in it has a size.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const scroller = useRef<HTMLUListElement>(null);
  const slides = useSlides(scroller, { count: photos.length, first });
  return (
    <dialog
      ref={dialog}
      className={styles['dialog']}
      aria-label={t('label', { name })}
      onKeyDown={slides.onKeyDown}
      onClose={() => onClose(slides.current)}
    >
      <PictureScroller scroller={scroller} onScroll={slides.onScroll} label={t('label', { name })}>
        {photos.map((photo, index) => (
          <li key={photo.digest} className={styles['slide']}>
            <Picture
              photo={photo}
              sources={{ ...photoSources(photo), sizes: '100vw' }}
              alt={altOf(photo, t('numbered', { name, number: index + 1 }))}
              isFirst={index === first}
              className={styles['picture']}
            />
          </li>
        ))}
      </PictureScroller>
      {photos.length > 1 && <SlideControls slides={slides} count={photos.length} />}
      <CloseButton onClick={() => dialog.current?.close()} />
    </dialog>
  );
}
