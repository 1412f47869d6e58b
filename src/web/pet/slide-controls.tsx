import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useTranslations } from 'use-intl';
import type { Slides } from './photo-scroller.tsx';
import styles from './slide-controls.module.css';

interface SlideControlsProps {
  slides: Slides;
  count: number;
}

/** The buttons to the next and the previous photo, and the position of the current one. */
export function SlideControls({ slides: { current, showNext, showPrevious, onKeyDown }, count }: SlideControlsProps) {
  const t = useTranslations('petPage.gallery');
  return (
    <>
      <button
        type="button"
        className={`${styles['button']} ${styles['step']} ${styles['previous']}`}
        aria-label={t('previous')}
        aria-disabled={current === 0}
        onKeyDown={onKeyDown}
        onClick={showPrevious}
      >
        <ChevronLeft aria-hidden />
      </button>
      <button
        type="button"
        className={`${styles['button']} ${styles['step']} ${styles['next']}`}
        aria-label={t('next')}
        aria-disabled={current === count - 1}
        onKeyDown={onKeyDown}
        onClick={showNext}
      >
        <ChevronRight aria-hidden />
      </button>
      <p className={styles['count']} aria-live="polite">
        <span aria-hidden="true">{t('count', { number: current + 1, count })}</span>
        <span className="visually-hidden">{t('position', { number: current + 1, count })}</span>
      </p>
    </>
  );
}
