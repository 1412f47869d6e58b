import { FEATURE_PLAYGROUND_LIMITS } from '../../features/names.ts';
import type { Role } from '../access.ts';
import { Failure } from '../failure.ts';
import type { BugId } from './bugs.ts';

/* A playground is a service of its own in memory, with a base URL of its own, for tests and demonstrations. */

export const PLAYGROUND_CONTENTS = ['samples', 'empty', 'seed', 'snapshot'] as const;

/** What a playground begins with, and returns to with a reset. A seed is pets, one in JSON per line. */
export type PlaygroundContents = (typeof PLAYGROUND_CONTENTS)[number];

export const PLAYGROUND_ACCESS = ['open', 'secured'] as const;

/** Whether its operations require credentials. */
export type PlaygroundAccess = (typeof PLAYGROUND_ACCESS)[number];

export interface PlaygroundLimits extends Record<keyof typeof FEATURE_PLAYGROUND_LIMITS, number> {
  pets: number;
  /** The bytes of all photos together, with their sizes. */
  photoBytes: number;
  /** Open event streams. */
  streams: number;
  requestsPerMinute: number;
}

export const DEFAULT_PLAYGROUND_LIMITS: PlaygroundLimits = {
  pets: 1000,
  photoBytes: 20 * 1024 * 1024,
  streams: 20,
  requestsPerMinute: 60_000,
  ...FEATURE_PLAYGROUND_LIMITS,
};

/** The photos of the samples, about 2 MB, count as well. */
export const MAX_PLAYGROUND_LIMITS: PlaygroundLimits = {
  pets: 10_000,
  photoBytes: 100 * 1024 * 1024,
  streams: 100,
  requestsPerMinute: 10_000_000,
  ...FEATURE_PLAYGROUND_LIMITS,
};

export const PLAYGROUND_LIFETIME = { defaultSeconds: 86_400, maxSeconds: 7 * 86_400 } as const;

export const MAX_PLAYGROUND_SNAPSHOTS = 10;

export interface SnapshotReference {
  token: string;
  id: string;
}

export interface NewPlayground {
  contents: PlaygroundContents;
  /** NDJSON; undefined unless the contents are a seed. */
  seed: string | undefined;
  /** Undefined unless the contents are a snapshot, which also has the users. */
  snapshot: SnapshotReference | undefined;
  /** Undefined for the access of the snapshot. */
  access: PlaygroundAccess | undefined;
  lifetimeSeconds: number;
  limits: PlaygroundLimits;
  recordRequests: boolean;
  bugs: readonly BugId[];
}

/** A user of secured access, one for each role. */
export interface PlaygroundUser {
  username: string;
  role: Role;
}

export interface PlaygroundSnapshot {
  id: string;
  createdAtMs: number;
}

export interface Playground {
  /** Part of the URL. It is the permission to use, reset and delete the playground. */
  token: string;
  contents: PlaygroundContents;
  access: PlaygroundAccess;
  createdAtMs: number;
  expiresAtMs: number;
  /** Whether it is in memory as it is used, and not compressed. */
  isAwake: boolean;
  limits: PlaygroundLimits;
  recordRequests: boolean;
  users: readonly PlaygroundUser[];
  snapshots: readonly PlaygroundSnapshot[];
}

export interface CreatedPlayground extends Omit<Playground, 'users'> {
  /** With their passwords, which are returned only once. */
  users: readonly (PlaygroundUser & { password: string })[];
}

export function playgroundNotFound(): Failure {
  return new Failure('not-found', 'Playground not found. It may have expired.');
}

export function snapshotNotFound(): Failure {
  return new Failure('not-found', 'Snapshot not found');
}
