import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Badge } from '../../design/badge.tsx';
import { AnchorButton, Button } from '../../design/buttons.tsx';
import { errorOf } from '../../../client/failures.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { useByteSize } from '../../design/byte-size.ts';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { useAction } from '../../service/action.ts';
import { BASE } from '../../service/client.ts';
import { downloadFrom } from '../../service/files.ts';
import { retryAfterLogin } from '../../service/reauthentication.ts';
import type { BackupView } from '../admin-queries.ts';
import { RestoreDialog } from './restore-dialog.tsx';
import sectionStyles from '../../account/section.module.css';
import styles from './backups.module.css';

/** The backups that have ended, newest first. */
export function BackupList({ backups }: { backups: readonly BackupView[] }) {
  const t = useTranslations('administration.backups');
  if (backups.length === 0) return null;
  return (
    <Section title={t('all')} lead={t('secret')}>
      <ul className={sectionStyles['list']}>
        {backups.map((backup) => (
          <Item key={backup.name} backup={backup} />
        ))}
      </ul>
    </Section>
  );
}

function Item({ backup }: { backup: BackupView }) {
  const t = useTranslations('administration.backups');
  const { exactDateTime } = useDateTimeFormats();
  const [isRestoring, setIsRestoring] = useState(false);
  const { name, state, startedAt, encrypted } = backup;
  const time = exactDateTime(startedAt);
  const address = `${BASE}/admin/backups/${name}/archive`;
  const download = useAction({ mutationFn: () => requireArchive(address), onSuccess: () => downloadFrom(address) });
  return (
    <li className={sectionStyles['item']}>
      <div>
        <p className={sectionStyles['itemTitle']}>
          <time dateTime={startedAt}>{time}</time>
          {state !== 'finished' && <BackupState state={state} />}
          {encrypted === true && <Badge tone="neutral">{t('encrypted')}</Badge>}
        </p>
        <BackupSummary backup={backup} />
        <FormError error={download.error} />
      </div>
      {state === 'finished' && (
        <div className={styles['itemActions']}>
          <AnchorButton
            href={address}
            download
            onClick={(event) => {
              event.preventDefault();
              download.mutate();
            }}
            variant="default"
            leftSection={<Download size="1.1em" aria-hidden />}
            aria-label={t('downloadOf', { time })}
          >
            {t('download')}
          </AnchorButton>
          <Button variant="default" aria-label={t('restoreOf', { time })} onClick={() => setIsRestoring(true)}>
            {t('restore.open')}
          </Button>
        </div>
      )}
      {isRestoring && <RestoreDialog backup={backup} onClose={() => setIsRestoring(false)} />}
    </li>
  );
}

/** The browser downloads it without the page, which could not ask for the proof then. */
const requireArchive = retryAfterLogin(async (address: string) => {
  const response = await fetch(address, { method: 'HEAD' });
  if (!response.ok) throw await errorOf(response);
}, true);

export function BackupState({ state }: Pick<BackupView, 'state'>) {
  const t = useTranslations('administration.backups.states');
  return <Badge tone={state === 'finished' ? 'available' : 'danger'}>{t(state)}</Badge>;
}

/** What a finished backup contains, or why there is none. */
export function BackupSummary({ backup }: { backup: BackupView }) {
  const t = useTranslations('administration.backups');
  const byteSize = useByteSize();
  const { state, pets = 0, photos = 0, bytes = 0, missingPhotos = 0, error } = backup;
  if (state === 'interrupted') return <p className={sectionStyles['itemText']}>{t('interrupted')}</p>;
  if (state !== 'finished') return <p className={sectionStyles['itemText']}>{error}</p>;
  return (
    <>
      <p className={sectionStyles['itemText']}>{t('summary', { pets, photos, size: byteSize(bytes) })}</p>
      {missingPhotos > 0 && <p className={styles['warning']}>{t('missing', { count: missingPhotos })}</p>}
    </>
  );
}
