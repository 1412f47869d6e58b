import { useBlocker } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useTranslations } from 'use-intl';
import { ConfirmDialog } from '../design/dialog.tsx';

interface LeaveGuardProps {
  hasUnsaved: boolean;
  /** Number of selected photos that would be lost. */
  files: number;
  /** Set when the form navigates away itself, after saving. */
  mayLeave: RefObject<boolean>;
  /** Called when the user leaves without saving. */
  onDiscard: () => void;
}

/**
 * Asks for confirmation before unsaved changes are lost. Closing or reloading the page shows the dialog of the browser.
 */
export function LeaveGuard({ hasUnsaved, files, mayLeave, onDiscard }: LeaveGuardProps) {
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
        onDiscard();
        blocker.proceed?.();
      }}
    >
      {t('text')} {files > 0 && t('files', { count: files })}
    </ConfirmDialog>
  );
}
