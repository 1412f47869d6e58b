import type { Access, Actor } from './access.ts';
import { done, stampOf, type AuditAction, type AuditStore } from './audit.ts';
import { Failure } from './failure.ts';
import type { Clock } from './ports.ts';

export const BACKUP_STATES = ['finished', 'running', 'failed', 'interrupted'] as const;

/** A backup of the installation, finished or not. */
export interface Backup {
  name: string;
  state: (typeof BACKUP_STATES)[number];
  startedAtMs: number;
  /** Only of a finished backup. */
  finishedAtMs?: number;
  version?: string;
  pets?: number;
  photos?: number;
  /** Photos that the photo store did not have, or only damaged. */
  missingPhotos?: number;
  /** Whether the content of the photos of earlier backups was compared, and not only their sizes. */
  isVerified?: boolean;
  /** Whether it is encrypted, so that restoring it needs an identity. */
  isEncrypted?: boolean;
  /** The bytes written to the place, compressed. */
  bytes?: number;
  /** The rows or photos of `what` in a running backup. */
  progress?: { what: string; done: number; total: number };
  /** Only of a failed backup. */
  error?: string;
}

export interface BackupSchedule {
  /** A folder, or a bucket with a prefix. Contains no secrets. */
  place: string;
  /** The time of the daily backup: minutes after midnight, UTC. */
  atMinute: number;
  /** The number of backups to keep. */
  keep: number;
  nextStartMs: number;
  /** The age recipients of new backups; empty without encryption. */
  recipients: readonly string[];
}

/** For health probes. */
export interface BackupHealth {
  /** The state of the newest backup. `unknown`: the place cannot be used, or was not read yet. */
  state: Backup['state'] | 'none' | 'unknown';
  /** This and the following fields are those of the newest finished backup. */
  finishedAtMs?: number | undefined;
  durationMs?: number | undefined;
  bytes?: number | undefined;
}

/** Makes and reads backups. Every method throws Failure `unavailable` if their place cannot be used. */
export interface BackupService {
  readonly schedule: BackupSchedule;
  /** At most a minute old: probes are frequent, and must not wait for the place. */
  readonly health: BackupHealth;
  /** All backups of the place, newest first. */
  list(): Promise<readonly Backup[]>;
  /** Starts a backup, or joins the one in progress, which may be that of another process. */
  start(): Promise<{ backup: Backup; isNew: boolean }>;
  /** A finished backup as a tar archive; undefined if there is none with this name. */
  findArchive(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
}

interface BackupAdministrationDeps {
  access: Access;
  audit: Pick<AuditStore, 'apply'>;
  /** Undefined if no place for backups is configured. */
  backups: BackupService | undefined;
  clock: Clock;
  /** @throws Failure `forbidden` without a recent proof that the session is used by its owner */
  requireProof: (actor: Actor) => Promise<void>;
}

/** Backups for administrators. Every operation requires the permission `administer`. */
export class BackupAdministration {
  readonly #deps: BackupAdministrationDeps;

  constructor(deps: BackupAdministrationDeps) {
    this.#deps = deps;
  }

  /** The schedule is undefined if no place for backups is configured. @throws Failure `unavailable` */
  async list(actor: Actor): Promise<{ schedule: BackupSchedule | undefined; backups: readonly Backup[] }> {
    const { access, backups } = this.#deps;
    access(actor, 'administer');
    return { schedule: backups?.schedule, backups: (await backups?.list()) ?? [] };
  }

  /**
   * Starts a backup, or joins the one in progress.
   * @throws Failure `conflict` if no place is configured, `unavailable`
   */
  async start(actor: Actor): Promise<Backup> {
    const { access, backups } = this.#deps;
    access(actor, 'administer');
    if (backups === undefined)
      throw new Failure('conflict', 'No place for backups is configured. Start the service with --backup-to.');
    const { backup, isNew } = await backups.start();
    if (isNew) await this.#audit(actor, 'backup.started', backup.name);
    return backup;
  }

  /**
   * A finished backup as a tar archive. It contains password hashes and the secrets of one-time codes, so each download
   * is audited, and an open browser is not enough for it.
   * @throws Failure `not-found`, `forbidden` without a recent proof
   */
  async getArchive(actor: Actor, name: string): Promise<AsyncIterable<Uint8Array>> {
    const { access, backups, requireProof } = this.#deps;
    access(actor, 'administer');
    await requireProof(actor);
    const chunks = await backups?.findArchive(name);
    if (chunks === undefined) throw new Failure('not-found', 'Backup not found, or not finished');
    return this.#audited(actor, name, chunks);
  }

  async *#audited(actor: Actor, name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    await this.#audit(actor, 'backup.downloaded', name);
    yield* chunks;
  }

  async #audit(actor: Actor, action: AuditAction, name: string): Promise<void> {
    const { audit, clock } = this.#deps;
    const entry = done(stampOf(actor, clock()), action, { kind: 'backup', id: name, name: null });
    await audit.apply({ kind: 'note', entry });
  }
}
