import { useSyncExternalStore } from 'react';

/*
 * The names of photos that are being uploaded, in local storage. The photos are lost when the tab is closed or
 * reloaded; afterwards, the application lists those that have not arrived.
 */

export interface MissingUploads {
  /** In digits. */
  petId: string;
  petName: string;
  /** The names of the files. */
  files: readonly string[];
}

/** The uploads of one document. */
interface Run {
  atMs: number;
  /** Whether the document was closed. */
  isOver: boolean;
  pets: readonly MissingUploads[];
}

/** A browser that was killed closes no document. No upload takes longer. */
const MAX_RUN_MS = 15 * 60_000;
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

const PREFIX = 'menagerie-uploads-1:';
const runId = String(Math.random()).slice(2);
const listeners = new Set<() => void>();

/**
 * Replaces what this document has yet to upload.
 *
 * @param owner of `storageOwnerOf`
 */
export function rememberUploads(owner: string, pets: readonly MissingUploads[], isOver = false): void {
  write(`${PREFIX}${owner}:${runId}`, { atMs: Date.now(), isOver, pets });
}

/** The uploads that earlier documents did not finish. */
export function findMissingUploads(owner: string): readonly MissingUploads[] {
  const byPet = new Map<string, MissingUploads>();
  for (const [, { pets }] of endedRuns(owner))
    for (const pet of pets) {
      const files = [...(byPet.get(pet.petId)?.files ?? []), ...pet.files];
      byPet.set(pet.petId, { ...pet, files });
    }
  return [...byPet.values()];
}

/** The names of the photos of a pet that have not arrived, from earlier documents. */
export function useMissingUploads(owner: string, petId: string): readonly string[] {
  const files = useSyncExternalStore(subscribe, () =>
    JSON.stringify(findMissingUploads(owner).find((pet) => pet.petId === petId)?.files ?? []),
  );
  return JSON.parse(files) as string[];
}

/**
 * Called when the user has read the list, or has added the photo again.
 *
 * @param file all of the pet by default
 */
export function forgetMissingUploads(owner: string, petId: string, file?: string): void {
  for (const [key, run] of endedRuns(owner)) {
    const without = ({ files }: MissingUploads) => {
      const index = file === undefined ? -1 : files.indexOf(file);
      return file === undefined ? [] : index === -1 ? files : files.toSpliced(index, 1);
    };
    const pets = run.pets.map((pet) => (pet.petId === petId ? { ...pet, files: without(pet) } : pet));
    write(key, { ...run, pets });
  }
}

/** Called on logout. */
export function deleteUploadsOf(owner: string): void {
  for (const [key] of runsOf(owner)) write(key, undefined);
}

function endedRuns(owner: string): readonly (readonly [key: string, run: Run])[] {
  const now = Date.now();
  return runsOf(owner).filter(
    ([key, { atMs, isOver }]) =>
      !key.endsWith(`:${runId}`) && (isOver || now - atMs > MAX_RUN_MS) && now - atMs < MAX_AGE_MS,
  );
}

function runsOf(owner: string): readonly (readonly [key: string, run: Run])[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.slice(0, key.lastIndexOf(':')) === `${PREFIX}${owner}`);
    return keys.map((key) => [key, JSON.parse(localStorage.getItem(key) ?? '') as Run] as const);
  } catch {
    // Local storage is disabled.
    return [];
  }
}

function write(key: string, run: Run | undefined): void {
  const pets = run?.pets.filter(({ files }) => files.length > 0) ?? [];
  try {
    if (run === undefined || pets.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ ...run, pets }));
  } catch {
    // Local storage is disabled or full.
  }
  for (const onChange of listeners) onChange();
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}
