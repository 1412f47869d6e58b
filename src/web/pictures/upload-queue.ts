import { useEffect, useSyncExternalStore } from 'react';
import { MenagerieError, NetworkError } from '../../client/failures.ts';
import { client } from '../service/client.ts';
import { releaseLater } from '../service/files.ts';
import { findPhotoTrouble, type PhotoTrouble } from './photo-limits.ts';

/*
 * Pictures on their way to their pets. The queue belongs to no page: it goes on while the reader looks at others, and ends with the tab, which warns.
 */

export type UploadState =
  /** Being looked at, or until there is room. */
  | 'waiting'
  | 'sending'
  /** The service has it; shown until the lists that are on the screen have it, too. */
  | 'done'
  /** Worth another try. */
  | 'failed'
  /** Not worth one: it is no picture, or too large. */
  | 'refused';

export interface Upload {
  id: number;
  /** The digits of the pet's id. */
  petId: string;
  file: File;
  /** To look at it before it is there. */
  previewUrl: string;
  state: UploadState;
  sentBytes: number;
  totalBytes: number;
  trouble?: PhotoTrouble | undefined;
  error?: unknown;
}

interface QueuedUpload extends Upload {
  isChecked: boolean;
  tries: number;
  /** Told where nobody is looking. */
  onTrouble: OnTrouble | undefined;
}

/** @param count so many pictures of one pet have not arrived, and will not by themselves */
type OnTrouble = (count: number) => void;

/** Pets at a time. More fill no line better, and each wants the service to look at a whole picture. */
const MOST_AT_A_TIME = 3;
/** A large picture over a slow line: 20 MiB at 250 kbit/s. */
const TIMEOUT_MS = 12 * 60_000;
/** Where the service says when to come back, we do: so often, and if it is not longer than this. */
const MOST_TRIES = 5;
const LONGEST_WAIT_S = 60;

let uploads: readonly QueuedUpload[] = [];
let lastId = 0;
/** Pets whose uploads are on the screen. */
const watched: string[] = [];
const running = new Map<number, AbortController>();
const followers = new Set<() => void>();
const uploadFollowers = new Set<(petId: string) => unknown>();

/**
 * Sends pictures to a pet, in the order in which they are given.
 *
 * @param petId the digits of its id
 * @param onTrouble is told at the end how many did not arrive, unless they are on the screen
 */
export function enqueueUploads(petId: string, files: readonly File[], onTrouble?: OnTrouble): void {
  const added = files.map((file): QueuedUpload => {
    lastId += 1;
    const previewUrl = URL.createObjectURL(file);
    const progress = { sentBytes: 0, totalBytes: file.size };
    return {
      id: lastId,
      petId,
      file,
      previewUrl,
      state: 'waiting',
      ...progress,
      isChecked: false,
      tries: 0,
      onTrouble,
    };
  });
  setUploads([...uploads, ...added]);
  for (const upload of added) void check(upload);
}

/** Ends an upload that is under way, and forgets one that failed. */
export function cancelUpload(id: number): void {
  running.get(id)?.abort();
  drop(id);
  sendNext();
}

export function retryUpload(id: number): void {
  change(id, { state: 'waiting', error: undefined, sentBytes: 0 });
  sendNext();
}

/** Those of a pet, for whoever shows them: while they are shown, nobody is told of their troubles otherwise. */
export function useUploads(petId: string): readonly Upload[] {
  useEffect(() => {
    watched.push(petId);
    return () => void watched.splice(watched.indexOf(petId), 1);
  }, [petId]);
  return useSyncExternalStore(follow, () => uploads).filter((upload) => upload.petId === petId);
}

/** Called for each picture that has arrived, with the pet's id; what it is about to do is waited for before the upload is forgotten. */
export function followUploaded(onUploaded: (petId: string) => unknown): () => void {
  uploadFollowers.add(onUploaded);
  return () => uploadFollowers.delete(onUploaded);
}

function follow(onChange: () => void): () => void {
  followers.add(onChange);
  return () => followers.delete(onChange);
}

async function check({ id, file }: QueuedUpload): Promise<void> {
  const trouble = await findPhotoTrouble(file);
  if (trouble === undefined) change(id, { isChecked: true });
  else end(id, { state: 'refused', trouble });
  sendNext();
}

function sendNext(): void {
  while (running.size < MOST_AT_A_TIME) {
    const next = uploads.find((upload) => upload.state === 'waiting' && upload.isChecked && isFirstOfPet(upload));
    if (next === undefined) return;
    void send(next);
  }
}

/** One after the other: a pet has its pictures in the order in which they arrive. */
function isFirstOfPet({ id, petId }: QueuedUpload): boolean {
  return uploads.find((upload) => upload.petId === petId && isOnItsWay(upload))?.id === id;
}

/** When all of a pet's pictures have come to their end, and none of them is on the screen. */
function tellTrouble({ petId, onTrouble }: QueuedUpload): void {
  const ofPet = uploads.filter((upload) => upload.petId === petId);
  const count = ofPet.filter(({ state }) => state === 'failed' || state === 'refused').length;
  if (count > 0 && !ofPet.some(isOnItsWay) && !watched.includes(petId)) onTrouble?.(count);
}

function isOnItsWay({ state }: Upload): boolean {
  return state === 'waiting' || state === 'sending';
}

async function send({ id, petId, file, tries }: QueuedUpload): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  change(id, { state: 'sending', tries: tries + 1 });
  const options = { signal: controller.signal, timeoutMs: TIMEOUT_MS };
  try {
    await client.uploadFile(
      { petId: BigInt(petId), body: { file } },
      { ...options, onProgress: (progress) => change(id, progress) },
    );
    end(id, { state: 'done' });
    void finish(id, petId);
  } catch (error) {
    // Of one that was cancelled, nothing is left to be told.
    fail(id, error);
  } finally {
    running.delete(id);
    sendNext();
  }
}

async function finish(id: number, petId: string): Promise<void> {
  await Promise.allSettled([...uploadFollowers].map((onUploaded) => onUploaded(petId)));
  drop(id);
}

function fail(id: number, error: unknown): void {
  const upload = uploads.find((each) => each.id === id);
  if (upload === undefined) return;
  const waitS = error instanceof MenagerieError ? error.retryAfterSeconds : undefined;
  if (waitS !== undefined && waitS <= LONGEST_WAIT_S && upload.tries < MOST_TRIES) {
    change(id, { state: 'waiting', isChecked: false, sentBytes: 0 });
    setTimeout(() => {
      change(id, { isChecked: true });
      sendNext();
    }, waitS * 1000);
    return;
  }
  end(id, { state: isRefusal(error) ? 'refused' : 'failed', error });
}

/** It has arrived, or will not by itself. */
function end(id: number, what: Partial<QueuedUpload>): void {
  change(id, what);
  const upload = uploads.find((each) => each.id === id);
  if (upload !== undefined) tellTrouble(upload);
}

const REFUSALS: readonly number[] = [400, 413, 415];

function isRefusal(error: unknown): boolean {
  return error instanceof MenagerieError && REFUSALS.includes(error.status);
}

function change(id: number, what: Partial<QueuedUpload>): void {
  setUploads(uploads.map((upload) => (upload.id === id ? { ...upload, ...what } : upload)));
}

function drop(id: number): void {
  const upload = uploads.find((each) => each.id === id);
  if (upload === undefined) return;
  setUploads(uploads.filter((each) => each !== upload));
  releaseLater(upload.previewUrl);
}

function setUploads(next: readonly QueuedUpload[]): void {
  uploads = next;
  if (uploads.some((upload) => isOnItsWay(upload) || upload.state === 'failed'))
    window.addEventListener('beforeunload', warn);
  else window.removeEventListener('beforeunload', warn);
  for (const onChange of followers) onChange();
}

/** The browser asks in its own words. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

window.addEventListener('online', () => {
  for (const { id, state, error } of uploads) if (state === 'failed' && error instanceof NetworkError) retryUpload(id);
});
