import { useBlocker } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useTranslations } from 'use-intl';
import { ConfirmDialog } from '../../design/dialog.tsx';

interface LeavingGuardProps {
  hasUnsaved: boolean;
  /** So many chosen pictures would be lost, too. */
  files: number;
  /** It is saved, and the page goes on by itself. */
  mayLeave: RefObject<boolean>;
  /** What was typed is given up. */
  onGiveUp: () => void;
}

/** Asks before what is not saved is left; the browser itself asks where the page is closed or loaded again. */
export function LeavingGuard({ hasUnsaved, files, mayLeave, onGiveUp }: LeavingGuardProps) {
  const t = useTranslations('editing.leaving');
  const isBlocking = () => hasUnsaved && !mayLeave.current;
  const blocker = useBlocker({ shouldBlockFn: isBlocking, enableBeforeUnload: isBlocking, withResolver: true });
  return (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      title={t('title')}
      confirmLabel={t('leave')}
      cancelLabel={t('stay')}
      isDangerous
      onCancel={() => blocker.reset?.()}
      onConfirm={() => {
        onGiveUp();
        blocker.proceed?.();
      }}
    >
      {t('text')} {files > 0 && t('files', { count: files })}
    </ConfirmDialog>
  );
}
