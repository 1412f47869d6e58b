import { useSyncExternalStore } from 'react';

/** The modal dialogs on the page, the topmost last. Their code is loaded with the first one. */
let openDialogs: readonly HTMLDialogElement[] = [];
const listeners = new Set<() => void>();

/** The topmost modal dialog. Everything outside of it is inert. */
export function useTopDialog(): HTMLDialogElement | undefined {
  return useSyncExternalStore(subscribe, topDialog);
}

export function topDialog(): HTMLDialogElement | undefined {
  return openDialogs.at(-1);
}

/** @returns whether there was none before */
export function addDialog(dialog: HTMLDialogElement): boolean {
  return change([...openDialogs, dialog]) === 1;
}

/** @returns whether no dialog is open now */
export function removeDialog(dialog: HTMLDialogElement): boolean {
  return change(openDialogs.filter((each) => each !== dialog)) === 0;
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

function change(next: typeof openDialogs): number {
  openDialogs = next;
  for (const listener of listeners) listener();
  return next.length;
}
