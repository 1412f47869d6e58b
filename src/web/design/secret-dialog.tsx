import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from './buttons.tsx';
import { Dialog } from './dialog.tsx';
import { SecretField } from './secret-field.tsx';

interface SecretDialogProps {
  title: string;
  /** Above the secret. */
  children: ReactNode;
  label: string;
  value: string;
  onClose: () => void;
}

/** Shows a secret once. Only its button closes it. */
export function SecretDialog({ title, children, label, value, onClose }: SecretDialogProps) {
  const t = useTranslations('account.once');
  // The dialog may open under the pointer: the second click of a double click on the form before it does not close it.
  const done = ({ detail }: { detail: number }) => {
    if (detail < 2) onClose();
  };
  return (
    <Dialog
      isOpen
      isClosable={false}
      onClose={onClose}
      title={title}
      actions={<Button onClick={done}>{t('done')}</Button>}
    >
      <div className="stack">
        {children}
        <SecretField label={label} value={value} />
      </div>
    </Dialog>
  );
}
