import { FIELD_NAMES, type PetFields, type ProfileBody, type ProfileTexts } from './pet-fields.ts';

/*
 * Drafts in local storage: unsaved input survives a crash or a reload.
 */

/** An attempt to create a pet. A retry sends the same idempotency key, so it cannot create a second pet. */
export interface Attempt {
  atMs: number;
  key: string;
  /** As the user typed them. */
  fields: PetFields;
  /** As they were sent: a retry with the same key must send the same body. */
  sent: PetFields;
  /** The profile, as it was typed. Absent in attempts of earlier versions of the application. */
  inputs?: ProfileTexts;
  /** The profile, as it was sent. */
  sentProfile?: ProfileBody;
}

export interface Draft {
  atMs: number;
  /** The version of the pet that editing started from. */
  base: PetFields;
  etag?: string;
  mine: PetFields;
  attempt?: Attempt;
}

/** Shorter than the lifetime of an idempotency key on the service: after that, a retry would create a second pet. */
const MAX_ATTEMPT_AGE_MS = 20 * 60 * 60 * 1000;

export function isKeyValid({ atMs }: Attempt, nowMs = Date.now()): boolean {
  return nowMs - atMs < MAX_ATTEMPT_AGE_MS;
}

const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * The storage key of a draft. It contains the owner, so that other users of the browser are not offered the draft.
 *
 * @param petId its digits, with `:profile` for a profile; `new` instead of them for a new pet
 */
export function draftKey(petId: string, owner: string): string {
  return `${keyPrefix(owner)}${petId}`;
}

function keyPrefix(owner: string): string {
  return `menagerie-draft-1:${owner}:`;
}

/** Called on logout. Drafts stay if a session merely ends. */
export function deleteDraftsOf(owner: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(keyPrefix(owner))) localStorage.removeItem(key);
  } catch {
    // Local storage is disabled.
  }
}

/** Called when a user is renamed. */
export function moveDrafts(from: string, to: string): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(keyPrefix(from))) continue;
      localStorage.setItem(keyPrefix(to) + key.slice(keyPrefix(from).length), localStorage.getItem(key) ?? '');
      localStorage.removeItem(key);
    }
  } catch {
    // Local storage is disabled or full.
  }
}

export function findDraft(key: string): Draft | undefined {
  return findStored<Draft>(key, ({ mine, base }) => hasFields(mine) && hasFields(base));
}

/** @param isValid false for a value that another version of the application stored */
export function findStored<T extends { atMs: number }>(
  key: string,
  isValid: (stored: Partial<T>) => boolean,
  nowMs = Date.now(),
): T | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as T | null;
    if (stored === null || !isValid(stored)) return undefined;
    return nowMs - stored.atMs < MAX_AGE_MS ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** @returns false if the browser did not store the draft */
export function saveDraft(key: string, draft: { atMs: number }): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function deleteDraft(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Local storage is disabled.
  }
}

function hasFields(fields: Partial<PetFields> | undefined): boolean {
  return fields !== undefined && FIELD_NAMES.every((name) => fields[name] !== undefined) && Array.isArray(fields.tags);
}
