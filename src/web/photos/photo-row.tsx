import { ArrowDown, ArrowUp, Star, Trash2 } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { IconButton } from '../design/buttons.tsx';
import styles from './photo-row.module.css';

interface RowActionsProps {
  /** Zero-based. */
  index: number;
  count: number;
  onMove: (to: number) => void;
  onRemove: () => void;
  /** Undefined if the photo cannot be the cover. */
  onShowFirst?: (() => void) | undefined;
}

/** The buttons of one photo: an alternative to dragging. */
export function RowActions({ index, count, onMove, onRemove, onShowFirst }: RowActionsProps) {
  const t = useTranslations('photos.actions');
  const number = index + 1;
  const icon = { size: '1.2rem', 'aria-hidden': true } as const;
  return (
    <div className={styles['actions']}>
      {onShowFirst !== undefined && index > 0 && (
        <IconButton aria-label={t('first', { number })} title={t('first', { number })} onClick={onShowFirst}>
          <Star {...icon} />
        </IconButton>
      )}
      {count > 1 && (
        <>
          <IconButton
            aria-label={t('earlier', { number })}
            title={t('earlier', { number })}
            aria-disabled={index === 0}
            onClick={() => index > 0 && onMove(index - 1)}
          >
            <ArrowUp {...icon} />
          </IconButton>
          <IconButton
            aria-label={t('later', { number })}
            title={t('later', { number })}
            aria-disabled={index === count - 1}
            onClick={() => index < count - 1 && onMove(index + 1)}
          >
            <ArrowDown {...icon} />
          </IconButton>
        </>
      )}
      <IconButton
        className="wrong"
        aria-label={t('remove', { number })}
        title={t('remove', { number })}
        onClick={onRemove}
      >
        <Trash2 {...icon} />
      </IconButton>
    </div>
  );
}

/** Marks the first photo, which lists show. */
export function CoverMark() {
  const t = useTranslations('photos');
  return (
    <span className={styles['first']}>
      <Star size="1em" fill="currentColor" aria-hidden />
      {t('isCover')}
    </span>
  );
}
