import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { CurrentUser } from '../../../api/web/bootstrap.ts';
import { Dialog } from '../../design/dialog.tsx';
import { LoginForm } from './login-form.tsx';
import styles from '../account.module.css';

interface LoginAgainDialogProps {
  username: string;
  onDone: (currentUser: CurrentUser) => void;
  onCancel: () => void;
}

export function LoginAgainDialog({ username, onDone, onCancel }: LoginAgainDialogProps) {
  const t = useTranslations('account.again');
  return (
    <Dialog isOpen onClose={onCancel} title={t('title')} size="small">
      <div className={styles['form']}>
        <p className={styles['dialogLead']}>{t('text')}</p>
        <LoginForm username={username} onDone={onDone} />
        <Button variant="subtle" onClick={onCancel}>
          {t('later')}
        </Button>
      </div>
    </Dialog>
  );
}
