import { useEffect, useLayoutEffect, useRef, useSyncExternalStore, type KeyboardEvent, type RefObject } from 'react';

/** The modal dialogs on the page, the topmost last. */
let openDialogs: readonly HTMLDialogElement[] = [];
const listeners = new Set<() => void>();

/** The topmost modal dialog. Everything outside of it is inert. */
export function useTopDialog(): HTMLDialogElement | undefined {
  return useSyncExternalStore(subscribe, () => openDialogs.at(-1));
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

function setOpenDialogs(next: readonly HTMLDialogElement[]): void {
  if (next.length === 0) unlockScrolling();
  else if (openDialogs.length === 0) lockScrolling();
  openDialogs = next;
  for (const listener of listeners) listener();
}

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
    setOpenDialogs([...openDialogs, dialog]);
    return () => {
      setOpenDialogs(openDialogs.filter((each) => each !== dialog));
      dialog.close();
    };
  }, []);
  useEffect(() => {
    if (isClosable) return undefined;
    // The second Escape would close it without asking. On the document: a button that is disabled loses the focus.
    const keepOpen = (event: globalThis.KeyboardEvent) => {
      if (event.key === 'Escape' && openDialogs.at(-1) === ref.current) event.preventDefault();
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
