import { Link } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { Badge } from '../../design/badge.tsx';
import { hasAddress } from '../../../api/web/admin-addresses.ts';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import type { AuditEntryView } from '../admin-queries.ts';
import { useAuditWords } from './audit-words.ts';
import { groupEntries } from './entry-groups.ts';
import { usePetOfEntry, type PetOfEntry } from './pet-of-entry.ts';
import styles from './audit-entries.module.css';

/** The entries as sentences, the newest first. Bulk changes share a row. */
export function AuditEntries({ entries }: { entries: readonly AuditEntryView[] }) {
  return (
    <ol className={styles['entries']}>
      {groupEntries(entries).map((group) => {
        const [first] = group;
        if (first === undefined) return null;
        const key = String(first.id);
        return group.length === 1 ? <Entry key={key} entry={first} /> : <Group key={key} first={first} group={group} />;
      })}
    </ol>
  );
}

function Entry({ entry }: { entry: AuditEntryView }) {
  const t = useTranslations('administration.audit');
  const { sentence, details } = useAuditWords();
  const pet = usePetOfEntry(entry);
  const { outcome } = entry;
  return (
    <li className={styles['entry']} data-outcome={outcome}>
      <Time entry={entry} />
      <div>
        <p className={styles['sentence']}>
          {outcome !== 'done' && <Badge tone="danger">{t(`outcomes.${outcome}`)}</Badge>}
          {sentence(entry, pet?.name)}
        </p>
        {pet !== undefined && pet.fields.length > 0 && <ChangedFields fields={pet.fields} />}
        <p className={styles['details']}>{details(entry)}</p>
      </div>
      <SubjectLink entry={entry} />
    </li>
  );
}

/** A row for the same action on many pets. Its button shows the single entries. */
function Group({ first, group }: { first: AuditEntryView; group: readonly AuditEntryView[] }) {
  const t = useTranslations('administration.audit');
  const { groupSentence, details } = useAuditWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <div className={styles['entry']}>
        <Time entry={first} />
        <div>
          <p className={styles['sentence']}>{groupSentence(first, group.length)}</p>
          <p className={styles['details']}>{details(first)}</p>
        </div>
        <button
          type="button"
          className={styles['toggle']}
          aria-expanded={isOpen}
          aria-label={t(isOpen ? 'hideGroup' : 'showGroup', { count: group.length })}
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? 'hide' : 'show')}
          <ChevronDown size="1.1em" aria-hidden="true" />
        </button>
      </div>
      {isOpen && (
        <ol className={styles['members']}>
          {group.map((entry) => (
            <Entry key={String(entry.id)} entry={entry} />
          ))}
        </ol>
      )}
    </li>
  );
}

function Time({ entry: { at } }: { entry: AuditEntryView }) {
  const { exactDateTime } = useDateTimeFormats();
  return (
    <time dateTime={at} className={styles['time']} title={at}>
      {exactDateTime(at)}
    </time>
  );
}

function ChangedFields({ fields }: { fields: PetOfEntry['fields'] }) {
  const t = useTranslations();
  const format = useFormatter();
  const names = fields.map((field) => t(`history.field.${field}`));
  return <p className={styles['details']}>{t('administration.audit.changed', { fields: format.list(names) })}</p>;
}

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
  if (kind !== 'account' || !name || !hasAddress(name) || action === 'account.deleted') return null;
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
