import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { hasAddress } from '../../../contract/web/admin-addresses.ts';
import { useMoments } from '../../account/moments.ts';
import type { AuditEntryView } from '../admin-queries.ts';
import { useAuditWords } from './audit-words.ts';
import styles from './audit-entries.module.css';

/** The newest first, each in words. */
export function AuditEntries({ entries }: { entries: readonly AuditEntryView[] }) {
  return (
    <ol className={styles['entries']}>
      {entries.map((entry) => (
        <Entry key={String(entry.id)} entry={entry} />
      ))}
    </ol>
  );
}

function Entry({ entry }: { entry: AuditEntryView }) {
  const t = useTranslations('administration.audit');
  const { sentence, details } = useAuditWords();
  const { exactly } = useMoments();
  const { outcome, at } = entry;
  return (
    <li className={styles['entry']} data-outcome={outcome}>
      <time dateTime={at} className={styles['time']} title={at}>
        {exactly(at)}
      </time>
      <div>
        <p className={styles['sentence']}>
          {outcome !== 'done' && <span className={styles['outcome']}>{t(`outcomes.${outcome}`)}</span>}
          {sentence(entry)}
        </p>
        <p className={styles['details']}>{details(entry)}</p>
      </div>
      <SubjectLink entry={entry} />
    </li>
  );
}

/** To what it was done to, where it has a page. */
function SubjectLink({ entry: { subject, action } }: { entry: AuditEntryView }) {
  const t = useTranslations('administration.audit');
  if (subject?.kind === 'pet')
    return (
      <Link
        to="/pets/$petId/history"
        params={{ petId: subject.id }}
        className={styles['link']}
        aria-label={t('petHistoryOf', { id: subject.id })}
      >
        {t('petHistory')}
      </Link>
    );
  const { kind, name } = subject ?? {};
  if (kind !== 'account' || !name || !hasAddress(name) || action === 'account.removed') return null;
  return (
    <Link
      to="/admin/users/$username"
      params={{ username: name }}
      className={styles['link']}
      aria-label={t('accountOf', { username: name })}
    >
      {t('account')}
    </Link>
  );
}
