import { useQueryClient } from '@tanstack/react-query';
import { DatabaseBackup } from 'lucide-react';
import { useFormatter, useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { Section } from '../../account/section.tsx';
import { DateTime } from '../../design/date-time.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { backupsQuery, type BackupView } from '../admin-queries.ts';
import { BackupState, BackupSummary } from './backup-list.tsx';
import styles from './backups.module.css';

/** The result of the newest backup that has ended, and the progress of the one that is running. */
export function LastBackup({ backups }: { backups: readonly BackupView[] }) {
  const t = useTranslations('administration.backups');
  const running = backups.find(({ state }) => state === 'running');
  const last = backups.find(({ state }) => state !== 'running');
  const lastFinished = backups.find(({ state }) => state === 'finished');
  return (
    <Section title={t('last')} actions={<StartButton isRunning={running !== undefined} />}>
      <div role="status" className="stack">
        {running && <BackupProgress title={t('progress.title')} progress={running.progress} />}
        {last === undefined ? (
          running === undefined && <p className="soft">{t('noneYet')}</p>
        ) : (
          <div>
            <p className={styles['result']}>
              <BackupState state={last.state} />
              <DateTime at={last.finishedAt ?? last.startedAt} />
            </p>
            <BackupSummary backup={last} />
          </div>
        )}
        {last !== lastFinished && (
          <p className="soft">
            {lastFinished === undefined ? t('noneFinished') : t('lastFinished')}{' '}
            {lastFinished && <DateTime at={lastFinished.finishedAt ?? lastFinished.startedAt} />}
          </p>
        )}
      </div>
    </Section>
  );
}

function StartButton({ isRunning }: { isRunning: boolean }) {
  const t = useTranslations('administration.backups');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const start = useAction({
    mutationFn: () => client.startBackup(),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries(backupsQuery),
  });
  return (
    <Button
      leftSection={<DatabaseBackup size="1.1em" aria-hidden />}
      loading={start.isPending || isRunning}
      onClick={() => start.mutate()}
    >
      {t('start')}
    </Button>
  );
}

interface BackupProgressProps {
  title: string;
  progress: BackupView['progress'] | undefined;
}

/** The progress of a backup or a restore. */
export function BackupProgress({ title, progress }: BackupProgressProps) {
  const t = useTranslations('administration.backups.progress');
  const format = useFormatter();
  const { what = '', done = 0, total = 0 } = progress ?? {};
  const counts = { what, done: format.number(done), total: format.number(total) };
  const text = what === '' ? t('start') : what === 'photos' ? t('photos', counts) : t('rows', counts);
  return (
    <div className="stack">
      <p className="soft">{title}</p>
      <progress className={styles['progress']} aria-label={title} value={total > 0 ? done / total : undefined} />
      <p className="soft">{text}</p>
    </div>
  );
}
