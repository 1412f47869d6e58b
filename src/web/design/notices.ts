/*
 * Short messages about what has just happened. Any module can show one; the shell renders them.
 */

export interface NewNotice {
  text: string;
  /** A follow-up action, such as undo. */
  action?: { label: string; run: () => void };
  /** It is announced immediately, and stays until it is closed. */
  isError?: boolean;
  /** Replaces the notice with the same value: of several similar ones, the last is enough. */
  replaces?: string;
}

export interface Notice extends NewNotice {
  id: number;
}

/** More would cover the page. */
const MAX_SHOWN = 3;

let shown: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a message for some seconds. */
export function showNotice(notice: NewNotice): void {
  lastId += 1;
  const others = shown.filter(({ replaces }) => replaces === undefined || replaces !== notice.replaces);
  setShown([...others, { ...notice, id: lastId }].slice(-MAX_SHOWN));
}

/** @returns false if it is no longer shown */
export function closeNotice(id: number): boolean {
  const others = shown.filter((each) => each.id !== id);
  if (others.length === shown.length) return false;
  setShown(others);
  return true;
}

/** For `useSyncExternalStore`. */
export function subscribeToNotices(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

export function shownNotices(): readonly Notice[] {
  return shown;
}

function setShown(next: readonly Notice[]): void {
  shown = next;
  for (const listener of listeners) listener();
}
