import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import type { ResultOf } from '../../../api/documents/operation-types.ts';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { SecretField } from '../../design/secret-field.tsx';
import styles from '../administration.module.css';

interface ResetLinkDialogProps {
  username: string;
  link: ResultOf<'issueResetLink'>;
  onClose: () => void;
}

/** The link is shown once, so the dialog is closed by its button only. */
export function ResetLinkDialog({ username, link: { link, expiresAt }, onClose }: ResetLinkDialogProps) {
  const t = useTranslations('administration.resetLink');
  const { dateTime } = useDateTimeFormats();
  return (
    <Dialog
      isOpen
      isClosable={false}
      onClose={onClose}
      title={t('title', { username })}
      actions={<Button onClick={onClose}>{t('done')}</Button>}
    >
      <p className={styles['text']}>{t('text', { when: dateTime(expiresAt) })}</p>
      <SecretField label={t('label')} value={link} />
    </Dialog>
  );
}
