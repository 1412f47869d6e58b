import { useTranslations } from 'use-intl';
import type { ResultOf } from '../../../api/documents/operation-types.ts';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { SecretDialog } from '../../design/secret-dialog.tsx';

interface ResetLinkDialogProps {
  username: string;
  link: Pick<ResultOf<'issueResetLink'>, 'link' | 'expiresAt'>;
  /** For a user without a password. */
  isInvitation?: boolean;
  onClose: () => void;
}

export function ResetLinkDialog({ username, link: { link, expiresAt }, isInvitation, onClose }: ResetLinkDialogProps) {
  const t = useTranslations('administration.resetLink');
  const { dateTime } = useDateTimeFormats();
  return (
    <SecretDialog
      title={t(isInvitation ? 'invitation' : 'title', { username })}
      label={t('label')}
      value={link}
      onClose={onClose}
    >
      <p>{t('text', { when: dateTime(expiresAt) })}</p>
    </SecretDialog>
  );
}
