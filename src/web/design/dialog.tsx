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
  /** Called by the close button, by Escape and by a click outside. */
  onClose: () => void;
  title: string;
  children?: ReactNode;
  /** Always visible at the bottom. The primary action is last. */
  actions?: ReactNode;
  size?: 'small' | 'medium' | 'large';
  /** False if only its actions may close it: while something is in progress, for example. */
  isClosable?: boolean;
}

const SIZES = { small: '27rem', medium: '38rem', large: '56rem' } as const;

/**
 * A modal dialog. It traps the focus, and returns it on close. The focus starts at the element with `data-autofocus`,
 * or at the first control. On small screens it is a sheet at the bottom.
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
      // Set on Modal.Content, it would apply to the sheet around it as well.
      classNames={{ inner: styles['inner'] ?? '', content: styles['content'] ?? '' }}
    >
      <Modal.Overlay className={styles['overlay']} />
      <Modal.Content radius="lg">
        {/* No `header` and `footer` elements: the page has its own landmarks. */}
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
  /** Names the action: "Delete", not "OK". */
  confirmLabel: string;
  /** "Cancel" by default. */
  cancelLabel?: string;
  /** Data may be lost: the focus starts at the cancel button. */
  isDangerous?: boolean;
  /** The action is in progress. */
  isBusy?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks for confirmation. */
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
