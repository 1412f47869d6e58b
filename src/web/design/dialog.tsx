import { Button, Modal } from '@mantine/core';
import '@mantine/core/styles/Paper.layer.css';
import '@mantine/core/styles/CloseButton.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import styles from './dialog.module.css';

interface DialogProps {
  isOpen: boolean;
  /** By the button in its corner, by Escape or by a click beside it. */
  onClose: () => void;
  title: string;
  children?: ReactNode;
  /** At the bottom, in sight however long the dialog is; what is meant to be done comes last. */
  actions?: ReactNode;
  size?: 'small' | 'medium' | 'large';
  /** Without it, it closes by its actions alone: while something is under way that should be seen through. */
  isClosable?: boolean;
}

const SIZES = { small: '27rem', medium: '38rem', large: '56rem' } as const;

/**
 * Lies over the page and keeps the focus until it is closed; then the focus goes back to where it was. It begins at the element with `data-autofocus`,
 * or at the first that can be used. On a telephone it stands at the bottom.
 */
export function Dialog({ isOpen, onClose, title, children, actions, size = 'medium', isClosable = true }: DialogProps) {
  const t = useTranslations('app');
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      size={SIZES[size]}
      centered
      closeOnEscape={isClosable}
      closeOnClickOutside={isClosable}
      // Given to Modal.Content, it would be that of the sheet around it as well.
      classNames={{ inner: styles['inner'] ?? '', content: styles['content'] ?? '' }}
    >
      <Modal.Overlay className={styles['overlay']} />
      <Modal.Content radius="lg">
        {/* The page has a header and a footer already: these are none. */}
        <div className={styles['header']}>
          <Modal.Title className={styles['title']}>{title}</Modal.Title>
          {isClosable && <Modal.CloseButton aria-label={t('close')} className={styles['close']} />}
        </div>
        <Modal.Body className={styles['body']}>{children}</Modal.Body>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </Modal.Content>
    </Modal.Root>
  );
}

interface ConfirmDialogProps {
  isOpen: boolean;
  title: string;
  /** What will happen, and whether it can be undone. */
  children?: ReactNode;
  /** Says what is done: "Remove", not "OK". */
  confirmLabel: string;
  /** "Cancel" by default. */
  cancelLabel?: string;
  /** Something may be lost: the focus begins at the way back. */
  isDangerous?: boolean;
  /** It is being done. */
  isBusy?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before something is done that cannot easily be undone. */
export function ConfirmDialog({
  isOpen,
  title,
  children,
  confirmLabel,
  cancelLabel,
  isDangerous = false,
  isBusy = false,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const t = useTranslations('app');
  const actions = (
    <>
      <Button variant="default" onClick={onCancel} disabled={isBusy} data-autofocus={isDangerous || undefined}>
        {cancelLabel ?? t('cancel')}
      </Button>
      <Button
        onClick={onConfirm}
        loading={isBusy}
        data-autofocus={!isDangerous || undefined}
        {...(isDangerous && { className: styles['danger'] ?? '' })}
      >
        {confirmLabel}
      </Button>
    </>
  );
  return (
    <Dialog isOpen={isOpen} onClose={onCancel} title={title} actions={actions} size="small" isClosable={!isBusy}>
      {children}
    </Dialog>
  );
}
