import { Expand } from 'lucide-react';
import { lazy, Suspense, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslations } from 'use-intl';
import { photoSources, thumbnailSources } from '../../api/web/photo-sources.ts';
import { Photo, usePlaceholder, altOf, type StoredPhoto } from '../design/photo.tsx';
import { firstIdle } from '../service/browser.ts';
import styles from './gallery.module.css';
import { PhotoScroller, useSlides, type Slides } from './photo-scroller.tsx';
import { SlideControls } from './slide-controls.tsx';

// Loaded before it is opened, so that it opens without a network as well.
const fullScreen = firstIdle().then(() => import('./full-screen-photos.tsx'));
fullScreen.catch(() => undefined);
const FullScreenPhotos = lazy(async () => ({ default: (await fullScreen).FullScreenPhotos }));

interface GalleryProps {
  /** The name of the pet. */
  name: string;
  /** At least one. */
  photos: readonly StoredPhoto[];
}

/** The photos of a pet: a large one, and thumbnails below it. */
export function Gallery({ name, photos }: GalleryProps) {
  const t = useTranslations('petPage.gallery');
  const [opened, setOpened] = useState<number>();
  const scroller = useRef<HTMLUListElement>(null);
  const slides = useSlides(scroller, { count: photos.length });
  const { current } = slides;

  function close(seen: number) {
    setOpened(undefined);
    slides.show(seen);
  }

  return (
    <section className={styles['gallery']} aria-label={t('label', { name })}>
      <div className={styles['frame']}>
        <PhotoScroller scroller={scroller} onScroll={slides.onScroll}>
          {photos.map((photo, index) => (
            <li key={photo.digest}>
              <Slide
                photo={photo}
                alt={altOf(photo, t('numbered', { name, number: index + 1 }))}
                isFirst={index === 0}
                isSeen={index === current}
                onKeyDown={slides.onKeyDown}
                onOpen={() => setOpened(index)}
              />
            </li>
          ))}
        </PhotoScroller>
        {photos.length > 1 && <SlideControls slides={slides} count={photos.length} />}
      </div>
      {photos.length > 1 && <Thumbnails name={name} photos={photos} slides={slides} />}
      {opened !== undefined && (
        <Suspense>
          <FullScreenPhotos name={name} photos={photos} first={opened} onClose={close} />
        </Suspense>
      )}
    </section>
  );
}

interface SlideProps {
  photo: StoredPhoto;
  alt: string;
  isFirst: boolean;
  isSeen: boolean;
  onKeyDown: (event: KeyboardEvent) => void;
  onOpen: () => void;
}

function Slide({ photo, alt, isFirst, isSeen, onKeyDown, onOpen }: SlideProps) {
  const t = useTranslations('petPage.gallery');
  const backdrop = usePlaceholder(photo.placeholder);
  return (
    <button type="button" className={styles['slide']} tabIndex={isSeen ? 0 : -1} onKeyDown={onKeyDown} onClick={onOpen}>
      {backdrop !== undefined && (
        <span className={styles['backdrop']} style={{ backgroundImage: `url("${backdrop}")` }} />
      )}
      <Photo photo={photo} sources={photoSources(photo)} alt={alt} isFirst={isFirst} className={styles['photo']} />
      <span className={styles['expand']}>
        <Expand size="1.25em" aria-hidden />
        <span className="visually-hidden">{t('open')}</span>
      </span>
    </button>
  );
}

interface ThumbnailsProps extends GalleryProps {
  slides: Slides;
}

function Thumbnails({ name, photos, slides: { current, show, onKeyDown } }: ThumbnailsProps) {
  const t = useTranslations('petPage.gallery');
  return (
    <ul className={styles['thumbnails']}>
      {photos.map((photo, index) => (
        <li key={photo.digest}>
          <button
            type="button"
            className={styles['thumbnail']}
            aria-label={t('show', { number: index + 1, alt: altOf(photo, name) })}
            aria-current={index === current}
            onKeyDown={onKeyDown}
            onClick={() => show(index)}
          >
            <Photo photo={photo} sources={thumbnailSources(photo, '6rem')} alt="" className="filling" />
          </button>
        </li>
      ))}
    </ul>
  );
}
