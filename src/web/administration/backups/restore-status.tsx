import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { Button } from '../../design/buttons.tsx';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { restoreQuery, type RestoreView } from '../admin-queries.ts';
import { BackupProgress } from './last-backup.tsx';
import styles from './backups.module.css';

/** The progress of a restore, while the service starts again as well, and the last one with a button that undoes it. */
export function RestoreStatus() {
  const t = useTranslations('administration.backups.restore');
  const { data: restore } = useQuery(restoreQuery);
  useOtherData(restore);
  if (restore === undefined || restore.state === 'none') return null;
  const { state, progress, error } = restore;
  return (
    <Section title={t('title')} actions={state === 'finished' && <UndoButton />}>
      <div role="status" className="stack">
        {state === 'running' && <BackupProgress title={t('running')} progress={progress} />}
        {state === 'restarting' && <p>{t('restarting')}</p>}
        {state === 'failed' && <p className={styles['warning']}>{t('failed', { reason: error ?? '' })}</p>}
        {state === 'finished' && <Finished restore={restore} />}
      </div>
    </Section>
  );
}

function Finished({ restore: { backup, restoredAt = '' } }: { restore: RestoreView }) {
  const t = useTranslations('administration.backups.restore');
  const { exactDateTime } = useDateTimeFormats();
  const time = exactDateTime(restoredAt);
  return (
    <>
      <p>{backup === undefined ? t('undone', { time }) : t('finished', { time, backup })}</p>
      <p className="soft">{t('kept')}</p>
    </>
  );
}

function UndoButton() {
  const t = useTranslations('administration.backups.restore');
  const queries = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const undo = useAction({
    mutationFn: () => client.undoRestore({ body: { confirmation: 'undo' } }),
    onSuccess: (restore) => {
      queries.setQueryData(restoreQuery.queryKey, restore);
      setIsAsked(false);
    },
  });
  return (
    <>
      <Button variant="default" leftSection={<Undo2 size="1.1em" aria-hidden />} onClick={() => setIsAsked(true)}>
        {t('undo')}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        title={t('undoTitle')}
        confirmLabel={t('undo')}
        isBusy={undo.isPending}
        onConfirm={() => undo.mutate()}
        onCancel={() => setIsAsked(false)}
      >
        <FormError error={undo.error} />
        <p>{t('undoText')}</p>
      </ConfirmDialog>
    </>
  );
}

/** Everything that the page has read is of other data after a restore. */
function useOtherData(restore: RestoreView | undefined): void {
  const queries = useQueryClient();
  const isAwaited = useRef(false);
  useEffect(() => {
    const isInProgress = restore?.state === 'running' || restore?.state === 'restarting';
    if (isAwaited.current && restore?.state === 'finished') void queries.invalidateQueries();
    isAwaited.current = isInProgress;
  }, [restore, queries]);
}
