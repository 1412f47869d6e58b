import { ActionIcon } from '@mantine/core';
import { ArrowDown, ArrowUp, Star, Trash2 } from 'lucide-react';
import { useTranslations } from 'use-intl';
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
  const shape = { variant: 'subtle', color: 'gray', size: '2.75rem' } as const;
  const icon = { size: '1.2rem', 'aria-hidden': true } as const;
  return (
    <div className={styles['actions']}>
      {onShowFirst !== undefined && index > 0 && (
        <ActionIcon {...shape} aria-label={t('first', { number })} title={t('first', { number })} onClick={onShowFirst}>
          <Star {...icon} />
        </ActionIcon>
      )}
      {count > 1 && (
        <>
          <ActionIcon
            {...shape}
            aria-label={t('earlier', { number })}
            title={t('earlier', { number })}
            aria-disabled={index === 0}
            onClick={() => index > 0 && onMove(index - 1)}
          >
            <ArrowUp {...icon} />
          </ActionIcon>
          <ActionIcon
            {...shape}
            aria-label={t('later', { number })}
            title={t('later', { number })}
            aria-disabled={index === count - 1}
            onClick={() => index < count - 1 && onMove(index + 1)}
          >
            <ArrowDown {...icon} />
          </ActionIcon>
        </>
      )}
      <ActionIcon
        {...shape}
        className={styles['remove'] ?? ''}
        aria-label={t('remove', { number })}
        title={t('remove', { number })}
        onClick={onRemove}
      >
        <Trash2 {...icon} />
      </ActionIcon>
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
