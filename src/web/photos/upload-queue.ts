import { useEffect, useSyncExternalStore } from 'react';
import { MenagerieError, NetworkError } from '../../client/failures.ts';
import { client } from '../service/client.ts';
import { releaseLater } from '../service/files.ts';
import { forgetMissingUploads, rememberUploads } from './missing-uploads.ts';
import { checkPhoto, errorOfLarge, type PhotoError } from './photo-limits.ts';
import { shrinkPhoto } from './shrink-photo.ts';

/*
 * Pending uploads. The queue is independent of pages: it continues while the user navigates, and ends with the
 * document, after a warning. Lost uploads are listed when the user returns (`missing-uploads.ts`).
 */

// Loaded with the page, because an upload that begins without a network waits for it.
for (const load of [() => import('../../client/uploads.ts'), () => import('../../client/browser-upload.ts')])
  load().catch(() => {});

export type UploadState =
  /** Being checked, or waiting for a free slot. */
  | 'waiting'
  /** Being made smaller. */
  | 'shrinking'
  | 'sending'
  /** Uploaded; shown until the lists on the screen include it. */
  | 'done'
  /** Can be retried. */
  | 'failed'
  /** Cannot be retried: it is not a photo that the browser or the service can read. */
  | 'refused';

export interface Upload {
  id: number;
  /** The digits of the pet's ID. */
  petId: string;
  petName: string;
  file: File;
  /** An object URL of the file. */
  previewUrl: string;
  state: UploadState;
  sentBytes: number;
  totalBytes: number;
  fileError?: PhotoError | undefined;
  error?: unknown;
}

interface QueuedUpload extends Upload {
  /** The result of `storageOwnerOf`. */
  owner: string;
  /** The file to send, which may be a smaller copy. Undefined until it is checked. */
  sent: File | undefined;
  /** True after a response with Retry-After. */
  isDelayed: boolean;
  attempts: number;
  /** Called at the end, unless the uploads are on the screen. */
  onFailure: OnFailure;
}

/** @param count number of photos of one pet that failed for good */
type OnFailure = (count: number) => void;

/**
 * Number of pets with an upload in progress. More do not use the connection better, and the service processes each
 * photo.
 */
const MAX_CONCURRENT = 3;
/** A large photo on a slow connection: 20 MiB at 250 kbit/s. */
const TIMEOUT_MS = 12 * 60_000;
/**
 * After a response with Retry-After, an upload is retried up to this many times, unless the delay is longer than the
 * maximum.
 */
const MAX_ATTEMPTS = 5;
const MAX_WAIT_S = 60;

let uploads: readonly QueuedUpload[] = [];
let lastId = 0;
/** Pets whose uploads are on the screen. */
const watched: string[] = [];
const running = new Map<number, AbortController>();
const listeners = new Set<() => void>();
const uploadListeners = new Set<(petId: string) => unknown>();

interface NewUploads extends Pick<QueuedUpload, 'petId' | 'petName' | 'owner' | 'onFailure'> {
  files: readonly File[];
}

/** Uploads photos to a pet, in the given order. */
export function enqueueUploads({ files, ...pet }: NewUploads): void {
  const added = files.map((file): QueuedUpload => {
    lastId += 1;
    const previewUrl = URL.createObjectURL(file);
    const progress = { sentBytes: 0, totalBytes: file.size };
    return {
      ...pet,
      id: lastId,
      file,
      previewUrl,
      state: 'waiting',
      ...progress,
      sent: undefined,
      isDelayed: false,
      attempts: 0,
    };
  });
  setUploads([...uploads, ...added]);
  for (const upload of added) void check(upload);
}

/** Aborts an upload, or drops one that failed. */
export function cancelUpload(id: number): void {
  running.get(id)?.abort();
  drop(id);
  sendNext();
}

export function retryUpload(id: number): void {
  if (!uploads.some((upload) => upload.id === id && upload.state === 'failed')) return;
  change(id, { state: 'waiting', error: undefined, sentBytes: 0 });
  sendNext();
}

/** The uploads of a pet. While they are on the screen, failures are not reported elsewhere. */
export function useUploads(petId: string): readonly Upload[] {
  useEffect(() => {
    watched.push(petId);
    return () => void watched.splice(watched.indexOf(petId), 1);
  }, [petId]);
  return useSyncExternalStore(subscribe, () => uploads).filter((upload) => upload.petId === petId);
}

/** Registers a callback for each finished upload. The upload stays in the queue until the returned promise settles. */
export function onPhotoUploaded(onUploaded: (petId: string) => unknown): () => void {
  uploadListeners.add(onUploaded);
  return () => uploadListeners.delete(onUploaded);
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

async function check({ id, file }: QueuedUpload): Promise<void> {
  const { fileError, isTooLarge } = await checkPhoto(file);
  if (fileError !== undefined) end(id, { state: 'refused', fileError });
  else if (isTooLarge) await shrink(id, file);
  else change(id, { sent: file });
  sendNext();
}

async function shrink(id: number, file: File): Promise<void> {
  change(id, { state: 'shrinking' });
  try {
    const sent = await shrinkPhoto(file);
    change(id, { state: 'waiting', sent, totalBytes: sent.size });
  } catch {
    // Too large for the browser as well, or damaged.
    end(id, { state: 'refused', fileError: errorOfLarge(file) });
  }
}

function sendNext(): void {
  while (running.size < MAX_CONCURRENT) {
    const next = uploads.find((upload) => isReady(upload) && isFirstOfPet(upload));
    if (next?.sent === undefined) return;
    void send(next, next.sent);
  }
}

function isReady({ state, sent, isDelayed }: QueuedUpload): boolean {
  return state === 'waiting' && sent !== undefined && !isDelayed;
}

/** Sequential for each pet: photos are stored in the order of their arrival. */
function isFirstOfPet({ id, petId }: QueuedUpload): boolean {
  return uploads.find((upload) => upload.petId === petId && isPending(upload))?.id === id;
}

/** Reports failures once all uploads of the pet have ended, unless they are on the screen. */
function reportFailures({ petId, onFailure }: QueuedUpload): void {
  const ofPet = uploads.filter((upload) => upload.petId === petId);
  const count = ofPet.filter(({ state }) => state === 'failed' || state === 'refused').length;
  if (count > 0 && !ofPet.some(isPending) && !watched.includes(petId)) onFailure(count);
}

function isPending({ state }: Upload): boolean {
  return state === 'waiting' || state === 'shrinking' || state === 'sending';
}

async function send({ id, petId, file, owner, attempts }: QueuedUpload, sent: File): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  change(id, { state: 'sending', attempts: attempts + 1 });
  const options = { signal: controller.signal, timeoutMs: TIMEOUT_MS };
  try {
    await client.uploadFile(
      { petId: BigInt(petId), body: { file: sent } },
      { ...options, onProgress: (progress) => change(id, progress) },
    );
    end(id, { state: 'done' });
    forgetMissingUploads(owner, petId, file.name);
    void finish(id, petId);
  } catch (error) {
    // A cancelled upload is no longer in the queue, so nothing is reported.
    fail(id, error);
  } finally {
    running.delete(id);
    sendNext();
  }
}

async function finish(id: number, petId: string): Promise<void> {
  await Promise.allSettled([...uploadListeners].map((onUploaded) => onUploaded(petId)));
  drop(id);
}

function fail(id: number, error: unknown): void {
  const upload = uploads.find((each) => each.id === id);
  if (upload === undefined) return;
  const waitS = error instanceof MenagerieError ? error.retryAfterSeconds : undefined;
  if (waitS !== undefined && waitS <= MAX_WAIT_S && upload.attempts < MAX_ATTEMPTS) {
    change(id, { state: 'waiting', isDelayed: true, sentBytes: 0 });
    setTimeout(() => {
      change(id, { isDelayed: false });
      sendNext();
    }, waitS * 1000);
    return;
  }
  end(id, { state: isRefusal(error) ? 'refused' : 'failed', error });
}

/** It has succeeded, or failed for good. */
function end(id: number, what: Partial<QueuedUpload>): void {
  change(id, what);
  const upload = uploads.find((each) => each.id === id);
  if (upload !== undefined) reportFailures(upload);
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
  const owners = new Set([...uploads, ...next].map(({ owner }) => owner));
  uploads = next;
  for (const owner of owners) remember(owner);
  if (uploads.some((upload) => isPending(upload) || upload.state === 'failed'))
    window.addEventListener('beforeunload', warn);
  else window.removeEventListener('beforeunload', warn);
  for (const onChange of listeners) onChange();
}

const remembered = new Map<string, string>();

/** Stores the names of the photos that are not uploaded, if they have changed. */
function remember(owner: string, isOver = false): void {
  const missing = uploads.filter((upload) => upload.owner === owner && upload.state !== 'done');
  const pets = [...Map.groupBy(missing, ({ petId }) => petId)].map(([petId, ofPet]) => ({
    petId,
    petName: ofPet[0]?.petName ?? '',
    files: ofPet.map(({ file }) => file.name),
  }));
  const now = JSON.stringify([pets, isOver]);
  if (remembered.get(owner) === now) return;
  remembered.set(owner, now);
  rememberUploads(owner, pets, isOver);
}

function rememberAll(isOver: boolean): void {
  for (const owner of remembered.keys()) remember(owner, isOver);
}

window.addEventListener('pagehide', () => rememberAll(true));
// From the back/forward cache.
window.addEventListener('pageshow', () => rememberAll(false));

/** The browser shows its own text. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

window.addEventListener('online', () => {
  for (const { id, state, error } of uploads) if (state === 'failed' && error instanceof NetworkError) retryUpload(id);
});
