import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { ResultOf } from '../../../api/operation-types.ts';
import { useMoments } from '../../design/moments.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { ShownOnce } from '../../design/shown-once.tsx';
import styles from '../administration.module.css';

interface ResetLinkDialogProps {
  username: string;
  link: ResultOf<'issueResetLink'>;
  onClose: () => void;
}

/** Shown this once; it closes by its button alone, so that it is not lost by a click beside it. */
export function ResetLinkDialog({ username, link: { link, expiresAt }, onClose }: ResetLinkDialogProps) {
  const t = useTranslations('administration.resetLink');
  const { moment } = useMoments();
  return (
    <Dialog
      isOpen
      isClosable={false}
      onClose={onClose}
      title={t('title', { username })}
      actions={<Button onClick={onClose}>{t('done')}</Button>}
    >
      <p className={styles['text']}>{t('text', { when: moment(expiresAt) })}</p>
      <ShownOnce label={t('label')} value={link} />
    </Dialog>
  );
}
