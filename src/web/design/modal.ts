import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from 'react';
import { addDialog, removeDialog, topDialog } from './top-dialog.ts';

/** Keeps the page behind the dialog where it is, and as wide as with its scroll bar. */
function lockScrolling(): void {
  const { style, clientWidth } = document.documentElement;
  style.paddingInlineEnd = `${innerWidth - clientWidth}px`;
  style.overflow = 'hidden';
}

function unlockScrolling(): void {
  document.documentElement.style.paddingInlineEnd = '';
  document.documentElement.style.overflow = '';
}

/**
 * Opens the dialog as long as it is mounted. Closing returns the focus.
 *
 * @param isClosable false if Escape must not close it
 */
export function useModal(isClosable: boolean): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return undefined;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    if (addDialog(dialog)) lockScrolling();
    return () => {
      if (removeDialog(dialog)) unlockScrolling();
      dialog.close();
    };
  }, []);
  useEffect(() => {
    if (isClosable) return undefined;
    // The second Escape would close it without asking. On the document: a button that is disabled loses the focus.
    const keepOpen = (event: globalThis.KeyboardEvent) => {
      if (event.key === 'Escape' && topDialog() === ref.current) event.preventDefault();
    };
    document.addEventListener('keydown', keepOpen);
    return () => document.removeEventListener('keydown', keepOpen);
  }, [isClosable]);
  return ref;
}

/** The unselected options of a radio group are no stops. */
const STOPS =
  'a[href], button:not(:disabled), input:not(:disabled, [type="radio"]:not(:checked)), select:not(:disabled), ' +
  'textarea:not(:disabled), summary, [tabindex="0"]';

/** Tab would lead from the last control of a dialog to those of the browser. */
export function keepTabInside(event: KeyboardEvent<HTMLDialogElement>): void {
  if (event.key !== 'Tab') return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(STOPS)].filter((each) => each.checkVisibility());
  const [first, last] = [stops[0], stops.at(-1)];
  const [end, start] = event.shiftKey ? [first, last] : [last, first];
  if (document.activeElement !== end) return;
  event.preventDefault();
  start?.focus();
}
