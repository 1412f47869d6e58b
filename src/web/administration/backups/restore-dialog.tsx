import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { Button } from '../../design/buttons.tsx';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/fields/field.tsx';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { restoreQuery, type BackupCheckView, type BackupView } from '../admin-queries.ts';
import styles from './backups.module.css';

/** The tables whose numbers mean something to people. */
const SHOWN = ['pet', 'photo', 'account', 'enquiry'] as const;

/** Checks a backup, shows what restoring it would change, and restores it after a word was typed. */
export function RestoreDialog({ backup, onClose }: { backup: BackupView; onClose: () => void }) {
  const t = useTranslations('administration.backups.restore');
  const { exactDateTime } = useDateTimeFormats();
  const queries = useQueryClient();
  const [identity, setIdentity] = useState('');
  const [word, setWord] = useState('');
  const { name, encrypted = false, startedAt } = backup;
  const given = encrypted && identity.trim() !== '' ? { identity: identity.trim() } : {};
  const check = useAction({ mutationFn: () => client.checkBackup({ backup: name, body: given }) });
  const restore = useAction({
    mutationFn: () => client.restoreBackup({ backup: name, body: { confirmation: name, ...given } }),
    onSuccess: (started) => {
      queries.setQueryData(restoreQuery.queryKey, started);
      onClose();
    },
  });
  const isBusy = check.isPending || restore.isPending;
  const isConfirmed = word.trim().toLowerCase() === t('word');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('of', { time: exactDateTime(startedAt) })}
      isClosable={!isBusy}
      actions={
        check.data?.read === true ? (
          <Button variant="danger" loading={restore.isPending} disabled={!isConfirmed} onClick={() => restore.mutate()}>
            {t('start')}
          </Button>
        ) : (
          <Button loading={check.isPending} onClick={() => check.mutate()}>
            {t('check')}
          </Button>
        )
      }
    >
      <div className="stack">
        <FormError error={check.error ?? restore.error} />
        {check.data === undefined && <p>{t('checkLead')}</p>}
        {encrypted && check.data?.read !== true && (
          <TextField
            label={t('identity')}
            description={t('identityNote')}
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={identity}
            onChange={(event) => setIdentity(event.currentTarget.value)}
          />
        )}
        {check.data !== undefined && <Found check={check.data} />}
        {check.data?.read === true && (
          <>
            <p>{t('consequences')}</p>
            <TextField
              label={t('typeWord', { word: t('word') })}
              autoComplete="off"
              value={word}
              onChange={(event) => setWord(event.currentTarget.value)}
            />
          </>
        )}
      </div>
    </Dialog>
  );
}

function Found({ check: { version, read, damagedPhotos, tables } }: { check: BackupCheckView }) {
  const t = useTranslations('administration.backups.restore');
  const format = useFormatter();
  const rows = SHOWN.flatMap((shown) =>
    tables.filter(({ table }) => table === shown).map((row) => ({ ...row, shown })),
  );
  return (
    <>
      <p role="status">{read ? t('isSound', { version }) : t('isUnread')}</p>
      {damagedPhotos > 0 && <p className={styles['warning']}>{t('damagedPhotos', { count: damagedPhotos })}</p>}
      <table className={styles['changes']}>
        <thead>
          <tr>
            <th scope="col">{t('what')}</th>
            <th scope="col">{t('now')}</th>
            <th scope="col">{t('inBackup')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ shown, now, restored }) => (
            <tr key={shown} data-changed={now !== restored || undefined}>
              <th scope="row">{t(`tables.${shown}`)}</th>
              <td>{format.number(now)}</td>
              <td>{format.number(restored)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
