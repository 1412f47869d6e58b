import { FIELD_NAMES, type PetFields } from '../pet-fields.ts';

/*
 * What was typed and not saved, kept in the browser: a crash, a reload or an empty battery costs nobody their work.
 */

/** One try to add a pet. Sent again under its key, it makes no second one. */
export interface Attempt {
  atMs: number;
  key: string;
  /** As they were typed. */
  fields: PetFields;
  /** As they were sent: the same key stands for the same request, letter for letter. */
  sent: PetFields;
}

export interface KeptDraft {
  atMs: number;
  /** What the pet was when one began. */
  base: PetFields;
  etag?: string;
  mine: PetFields;
  attempt?: Attempt;
}

/** Shorter than the service remembers a key: after that, the same try would make a second pet. */
const MAX_ATTEMPT_AGE_MS = 20 * 60 * 60 * 1000;

export function isStillKnown({ atMs }: Attempt, nowMs = Date.now()): boolean {
  return nowMs - atMs < MAX_ATTEMPT_AGE_MS;
}

const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** Whose draft of what. Others who use the same browser are not offered it. @param petId its digits; `new` for one to come */
export function draftKey(petId: string, username: string | undefined): string {
  return `${keysOf(username)}${petId}`;
}

function keysOf(username: string | undefined): string {
  return `menagerie-draft-1:${username ?? ''}:`;
}

/** Whoever logs out leaves nothing behind for the next one at this browser; whose session merely ended finds all of it again. */
export function dropDraftsOf(username: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(keysOf(username))) localStorage.removeItem(key);
  } catch {
    // A browser that keeps nothing has nothing to drop.
  }
}

/** Whoever is called otherwise from now on finds what they have not saved under their new name. */
export function moveDrafts(from: string, to: string): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(keysOf(from))) continue;
      localStorage.setItem(keysOf(to) + key.slice(keysOf(from).length), localStorage.getItem(key) ?? '');
      localStorage.removeItem(key);
    }
  } catch {
    // A browser that keeps nothing, or has no room, has nothing to move.
  }
}

export function findDraft(key: string, nowMs = Date.now()): KeptDraft | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(key) ?? 'null') as KeptDraft | null;
    if (draft === null || !hasFields(draft.mine) || !hasFields(draft.base)) return undefined;
    return nowMs - draft.atMs < MAX_AGE_MS ? draft : undefined;
  } catch {
    return undefined;
  }
}

/** @returns whether the browser has kept it: some keep nothing */
export function keepDraft(key: string, draft: KeptDraft): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // A browser that keeps nothing has nothing to drop.
  }
}

function hasFields(fields: Partial<PetFields> | undefined): boolean {
  return fields !== undefined && FIELD_NAMES.every((name) => fields[name] !== undefined) && Array.isArray(fields.tags);
}
