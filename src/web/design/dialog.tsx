import { X } from 'lucide-react';
import { useId, useRef, type MouseEvent, type ReactNode, type SyntheticEvent } from 'react';
import { createPortal } from 'react-dom';
import { useTranslations } from 'use-intl';
import { useBackToClose } from './back-to-close.ts';
import { Button, IconButton } from './buttons.tsx';
import styles from './dialog.module.css';
import { keepTabInside, useModal } from './modal.ts';

interface DialogProps {
  isOpen: boolean;
  /** Called by the close button, by Escape, by a click outside and by going back in the browser. */
  onClose: () => void;
  title: string;
  children?: ReactNode;
  /** Always visible at the bottom. The primary action is last. */
  actions?: ReactNode;
  size?: 'small' | 'medium' | 'large';
  /** False if only its actions may close it: while something is in progress, for example. */
  isClosable?: boolean;
}

/**
 * A modal dialog. It traps the focus, and returns it on close. The focus starts at the element with `data-autofocus`,
 * or at the first control. On small screens it is a sheet at the bottom.
 */
export function Dialog({ isOpen, ...dialog }: DialogProps) {
  // Not where it is called, which may be in a form. With another title, the focus starts again.
  return isOpen && createPortal(<OpenDialog key={dialog.title} {...dialog} />, document.body);
}

function OpenDialog({
  onClose,
  title,
  children,
  actions,
  size = 'medium',
  isClosable = true,
}: Omit<DialogProps, 'isOpen'>) {
  const t = useTranslations('app');
  const titleId = useId();
  const dialog = useModal(isClosable);
  useBackToClose(onClose, isClosable);
  const closing = useClosing(() => isClosable && onClose());
  return (
    <dialog
      ref={dialog}
      className={styles['dialog']}
      data-size={size}
      aria-labelledby={titleId}
      onKeyDown={keepTabInside}
      {...closing}
    >
      {/* No `header` and `footer` elements: the page has its own landmarks. */}
      <div className={styles['header']}>
        <h2 id={titleId} className={styles['title']}>
          {title}
        </h2>
        {isClosable && (
          <IconButton aria-label={t('close')} className={styles['close']} onClick={onClose}>
            <X size="1.25em" aria-hidden />
          </IconButton>
        )}
      </div>
      <div className={styles['body']}>{children}</div>
      {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
    </dialog>
  );
}

/** Handles Escape, the back gesture, and a click on the backdrop. The owner of the dialog decides whether it closes. */
function useClosing(close: () => void) {
  const isPressedOutside = useRef(false);
  return {
    onCancel: (event: SyntheticEvent<HTMLDialogElement>) => {
      // A file input reports in the same way that no file was selected.
      if (event.target !== event.currentTarget) return;
      event.preventDefault();
      close();
    },
    // At the second back gesture, browsers do not ask.
    onClose: ({ currentTarget: dialog }: SyntheticEvent<HTMLDialogElement>) => {
      if (dialog.open || !dialog.isConnected) return;
      dialog.showModal();
      close();
    },
    // Selecting text may end outside.
    onPointerDown: (event: MouseEvent<HTMLDialogElement>) => {
      isPressedOutside.current = isOutside(event);
    },
    onClick: (event: MouseEvent<HTMLDialogElement>) => {
      if (isPressedOutside.current && isOutside(event)) close();
    },
  };
}

/** The backdrop belongs to the dialog. */
function isOutside({ target, currentTarget, clientX, clientY }: MouseEvent<HTMLDialogElement>): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return target === currentTarget && (clientX < left || clientX > right || clientY < top || clientY > bottom);
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
  isBusy?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

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
        variant={isDangerous ? 'danger' : 'filled'}
        onClick={onConfirm}
        loading={isBusy}
        data-autofocus={!isDangerous || undefined}
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
