/*
 * Short messages of what has just happened. Whoever has one says it here; the shell shows it.
 */

export interface NewNotice {
  text: string;
  /** What can be done about it, say taking it back. */
  action?: { label: string; run: () => void };
  /** Something went wrong: it is read out at once, and stays until it is closed. */
  isTrouble?: boolean;
  /** Takes the place of the one of this name before it: of many of a kind in a row the last one is enough. */
  replaces?: string;
}

export interface Notice extends NewNotice {
  id: number;
}

/** More would cover the page. */
const MAX_SHOWN = 3;

let shown: readonly Notice[] = [];
let lastId = 0;
const followers = new Set<() => void>();

/** Shows a message for some seconds. */
export function showNotice(notice: NewNotice): void {
  lastId += 1;
  const others = shown.filter(({ replaces }) => replaces === undefined || replaces !== notice.replaces);
  setShown([...others, { ...notice, id: lastId }].slice(-MAX_SHOWN));
}

export function closeNotice(id: number): void {
  setShown(shown.filter((each) => each.id !== id));
}

/** For `useSyncExternalStore`. */
export function followNotices(onChange: () => void): () => void {
  followers.add(onChange);
  return () => followers.delete(onChange);
}

export function shownNotices(): readonly Notice[] {
  return shown;
}

function setShown(next: readonly Notice[]): void {
  shown = next;
  for (const follow of followers) follow();
}
