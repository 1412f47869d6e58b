import { CirclePlus, PencilLine, RotateCcw, Trash2, type LucideIcon } from 'lucide-react';
import { useFormatter, useTranslations } from 'use-intl';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/buttons.tsx';
import { visibleChanges } from './differences.ts';
import { FieldDifferences } from './field-differences.tsx';
import styles from './history-page.module.css';
import type { HistoryEntry } from './history-queries.ts';
import { DateTime } from '../design/date-time.tsx';

type Action = HistoryEntry['action'];

const ICONS: Readonly<Record<Action, LucideIcon>> = {
  added: CirclePlus,
  replaced: PencilLine,
  edited: PencilLine,
  restored: RotateCcw,
  deleted: Trash2,
};

interface HistoryEntryProps {
  entry: HistoryEntry;
  /** It is the newest version. */
  isCurrent: boolean;
  /** It has the same content as the newest version. */
  isSame: boolean;
  onRestore: () => void;
}

/** One change: its author, its time and the changed fields. */
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
            <DateTime at={at} className="soft small" />
          </div>
          {isCurrent && action !== 'deleted' && <Badge tone="accent">{t('current')}</Badge>}
          {!isSame && action !== 'deleted' && (
            <Button variant="default" aria-label={t('restore.labelOf', { when: exact })} onClick={onRestore}>
              {t('restore.label')}
            </Button>
          )}
        </header>
        {/* A deletion changes every field, so its differences say nothing. */}
        {action !== 'deleted' && changes.length > 0 && (
          <FieldDifferences changes={changes} isNew={action === 'added'} />
        )}
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
