import { useBlocker, useRouter } from '@tanstack/react-router';
import { useState, type RefObject } from 'react';
import { useTranslations } from 'use-intl';
import { leaveCovers } from '../design/covers.ts';
import { ConfirmDialog } from '../design/dialog.tsx';
import { HISTORY_INDEX } from '../routing/navigation-history.ts';

interface LeaveGuardProps {
  hasUnsaved: boolean;
  /** Number of selected photos that would be lost. */
  files: number;
  /** Set when the form navigates away itself, after saving. */
  mayLeave: RefObject<boolean>;
  /** Called when the user leaves without saving. */
  onDiscard: () => void;
}

/** The answer of the user, who is about to leave. */
interface Question {
  stay: () => void;
  leave: () => void;
}

/**
 * Asks for confirmation before unsaved changes are lost. Closing or reloading the page shows the dialog of the browser.
 */
export function LeaveGuard({ hasUnsaved, files, mayLeave, onDiscard }: LeaveGuardProps) {
  const t = useTranslations('editing.leaving');
  const { history: pages } = useRouter();
  const [question, setQuestion] = useState<Question>();
  const isBlocking = () => hasUnsaved && !mayLeave.current;
  useBlocker({
    enableBeforeUnload: isBlocking,
    shouldBlockFn: ({ current, next, action }) => {
      // A dialog opens or closes at the same path.
      if (!isBlocking() || current.pathname === next.pathname) return false;
      if (action === 'PUSH' || action === 'REPLACE')
        return new Promise<boolean>((resolve) => {
          setQuestion({ stay: () => resolve(true), leave: () => resolve(false) });
        });
      // The browser is there already, and comes back before the question gets its entry in the history.
      const steps = readIndex(history.state) - readIndex(pages.location.state);
      const { pathname, search, hash } = location;
      const leave = () => (steps < 0 ? history.go(steps) : pages.push(`${pathname}${search}${hash}`));
      addEventListener('popstate', () => setQuestion({ stay: () => {}, leave }), { once: true });
      return true;
    },
  });
  const end = () => setQuestion(undefined);
  return (
    <ConfirmDialog
      isOpen={question !== undefined}
      title={t('title')}
      confirmLabel={t('leave')}
      cancelLabel={t('stay')}
      isDangerous
      onCancel={() => {
        end();
        question?.stay();
      }}
      onConfirm={() => {
        end();
        onDiscard();
        void leaveCovers().then(() => {
          mayLeave.current = true;
          question?.leave();
        });
      }}
    >
      {t('text')} {files > 0 && t('files', { count: files })}
    </ConfirmDialog>
  );
}

function readIndex(state: unknown): number {
  return (state as Readonly<Record<typeof HISTORY_INDEX, number>>)[HISTORY_INDEX];
}
