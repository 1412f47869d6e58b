import { Button } from '@mantine/core';
import { CirclePlus, PencilLine, RotateCcw, Trash2, type LucideIcon } from 'lucide-react';
import { useFormatter, useTranslations } from 'use-intl';
import { visibleChanges } from './differences.ts';
import { FieldDifferences } from './field-differences.tsx';
import styles from './history-page.module.css';
import type { HistoryEntry } from './history-queries.ts';
import { Moment } from '../design/moments.tsx';

type Action = HistoryEntry['action'];

const ICONS: Readonly<Record<Action, LucideIcon>> = {
  added: CirclePlus,
  replaced: PencilLine,
  edited: PencilLine,
  restored: RotateCcw,
  removed: Trash2,
};

interface HistoryEntryProps {
  entry: HistoryEntry;
  /** It is what the pet is now. */
  isCurrent: boolean;
  /** This version has the same content as the newest one. */
  isSame: boolean;
  onRestore: () => void;
}

/** One change: who, when, and what was different then. */
export function HistoryEntryCard({ entry, isCurrent, isSame, onRestore }: HistoryEntryProps) {
  const t = useTranslations('history');
  const format = useFormatter();
  const { action, at, version } = entry;
  const changes = visibleChanges(entry.changes);
  const Icon = ICONS[action];
  const exact = format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <li className={styles['entry']} data-action={action}>
      <span className={styles['icon']}>
        <Icon size="1.2em" aria-hidden="true" />
      </span>
      <article className={styles['card']} aria-labelledby={`version-${version}`}>
        <header className={styles['head']}>
          <div>
            <h2 id={`version-${version}`} className={styles['what']}>
              {t(`action.${action}`, { who: useWho(entry) })}
            </h2>
            <Moment at={at} className={styles['when']} />
          </div>
          {isCurrent && action !== 'removed' && <span className={styles['current']}>{t('current')}</span>}
          {!isSame && action !== 'removed' && (
            <Button variant="default" aria-label={t('restore.labelOf', { when: exact })} onClick={onRestore}>
              {t('restore.label')}
            </Button>
          )}
        </header>
        {/* Of a removal they would say no more than that all of it is gone. */}
        {action !== 'removed' && changes.length > 0 && <FieldDifferences changes={changes} />}
        {changes.length === 0 && <p className={styles['lead']}>{t('noDifference')}</p>}
      </article>
    </li>
  );
}

export function useWho({ actor }: Pick<HistoryEntry, 'actor'>): string {
  const t = useTranslations('history.who');
  if (actor === null) return t('nobody');
  return actor.name ?? t('gone', { id: String(actor.id) });
}
