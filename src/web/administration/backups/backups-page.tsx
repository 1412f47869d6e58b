import { useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'use-intl';
import { MenagerieError } from '../../../client/failures.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { backupsQuery, type BackupOverview } from '../admin-queries.ts';
import { BackupList } from './backup-list.tsx';
import { LastBackup } from './last-backup.tsx';
import { RestoreStatus } from './restore-status.tsx';
import adminStyles from '../administration.module.css';
import styles from './backups.module.css';

export function BackupsPage() {
  return (
    <AdminOnly>
      <Backups />
    </AdminOnly>
  );
}

function Backups() {
  const t = useTranslations('administration.backups');
  const { data: overview, error } = useQuery(backupsQuery);
  const isUnusable = error instanceof MenagerieError && error.code === 'unavailable';
  return (
    <AdminPage title={t('title')} lead={t('lead')}>
      <FormError error={error} text={isUnusable ? t('unusable', { reason: error.message }) : undefined} />
      {overview && (overview.place === undefined ? <NotConfigured /> : <Configured overview={overview} />)}
    </AdminPage>
  );
}

function Configured({ overview }: { overview: BackupOverview }) {
  const { backups } = overview;
  return (
    <>
      <RestoreStatus />
      <LastBackup backups={backups} />
      <Schedule overview={overview} />
      <BackupList backups={backups.filter(({ state }) => state !== 'running')} />
    </>
  );
}

function Schedule({ overview: { place, keep = 0, nextStartAt = '', recipients = [] } }: { overview: BackupOverview }) {
  const t = useTranslations('administration.backups.schedule');
  const format = useFormatter();
  const { dateTime } = useDateTimeFormats();
  const facts = [
    { name: t('time'), value: t('daily', { time: localTime(format, nextStartAt) }) },
    { name: t('next'), value: dateTime(nextStartAt) },
    { name: t('keep'), value: t('newest', { count: keep }) },
    { name: t('place'), value: place },
    { name: t('encryption'), value: recipients.length === 0 ? t('notEncrypted') : recipients.join(', ') },
  ];
  return (
    <Section title={t('title')}>
      <dl className={adminStyles['facts']}>
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function localTime(format: ReturnType<typeof useFormatter>, at: string): string {
  return format.dateTime(new Date(at), { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });
}

/** On a day without daylight saving time in the north. */
const EXAMPLE_TIME = '2026-01-01T03:00:00Z';

const EXAMPLE = `menagerie serve \\
  --backup-to /mnt/backups \\
  --backup-at 03:00 \\
  --backup-keep 7`;

function NotConfigured() {
  const t = useTranslations('administration.backups.none');
  const format = useFormatter();
  return (
    <EmptyState title={t('title')}>
      <p>{t('text')}</p>
      <pre className={styles['command']}>{EXAMPLE}</pre>
      <p>{t('example', { time: localTime(format, EXAMPLE_TIME) })}</p>
    </EmptyState>
  );
}
