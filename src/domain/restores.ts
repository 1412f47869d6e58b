import type { Access, Actor } from './access.ts';
import { done, stampOf, type AuditAction, type AuditStore, type Stamp } from './audit.ts';
import { Failure, invalidInput } from './failure.ts';
import type { Clock } from './ports.ts';

export const RESTORE_STATES = ['none', 'running', 'restarting', 'finished', 'failed'] as const;

/** The last restore of a backup into the running service. */
export interface Restore {
  /** `finished`: the service uses the restored data, and what was replaced is still there. */
  state: (typeof RESTORE_STATES)[number];
  /** The name of the backup; absent after a restore was undone. */
  backup?: string;
  restoredAtMs?: number;
  progress?: { what: string; done: number; total: number };
  /** Only of a failed restore, which has changed nothing. */
  error?: string;
}

/** The contents of a backup, and the changes that its restore would make. */
export interface BackupCheck {
  name: string;
  version: string;
  /** Whether rows and photos were read. Without an identity, only the files of an encrypted backup are compared. */
  isRead: boolean;
  photos: number;
  damagedPhotos: readonly string[];
  /** The rows of each table. */
  tables: readonly { table: string; now: number; restored: number }[];
}

export interface RestoreOrder {
  backup: string;
  /** An age identity. Secret: it is neither stored nor logged. */
  identity: string | undefined;
  stamp: Stamp;
  /** The session that continues after the restore. */
  sessionId: string | null;
}

/** Checks and restores backups, one at a time. */
export interface RestoreService {
  read(): Restore;
  /** @throws Failure `conflict` during another check or restore, `invalid-input` if it is damaged, `unavailable` */
  check(backup: string, identity: string | undefined): Promise<BackupCheck>;
  /** @throws Failure `conflict` if the data cannot be restored while the service runs, or another restore is running */
  requirePossible(backup: string): void;
  /** Starts a restore, after which the service starts again. @throws as `requirePossible` */
  start(order: RestoreOrder): Restore;
  /** Goes back to the data from before the last restore. @throws Failure `conflict` if there is none */
  undo(atMs: number): Restore;
}

interface RestoreAdministrationDeps {
  access: Access;
  audit: Pick<AuditStore, 'apply'>;
  /** Undefined if no place for backups is configured. */
  restores: RestoreService | undefined;
  clock: Clock;
  /** @throws Failure `forbidden` without a recent proof that the session is used by its owner */
  requireProof: (actor: Actor) => Promise<void>;
}

const UNDO = 'undo';

/** Restores for administrators. Every operation requires the permission `administer`. */
export class RestoreAdministration {
  readonly #deps: RestoreAdministrationDeps;

  constructor(deps: RestoreAdministrationDeps) {
    this.#deps = deps;
  }

  get(actor: Actor): Restore {
    const { access, restores } = this.#deps;
    access(actor, 'administer');
    return restores?.read() ?? { state: 'none' };
  }

  /** @throws Failure `conflict`, `not-found`, `invalid-input`, `unavailable` */
  async check(actor: Actor, backup: string, identity: string | undefined): Promise<BackupCheck> {
    this.#deps.access(actor, 'administer');
    return this.#require().check(backup, identity);
  }

  /**
   * @param confirmation the name of the backup, typed again
   * @throws Failure `forbidden` without a recent proof, `invalid-input`, `conflict`
   */
  async start(
    actor: Actor,
    backup: string,
    { confirmation, identity }: { confirmation: string; identity: string | undefined },
  ): Promise<Restore> {
    const { access, requireProof, clock } = this.#deps;
    access(actor, 'administer');
    await requireProof(actor);
    const restores = this.#require();
    requireSame(confirmation, backup, 'must be the name of the backup');
    restores.requirePossible(backup);
    await this.#audit(actor, 'backup.restore-started', backup);
    const sessionId = actor.kind === 'signed-in' ? actor.session.id : null;
    return restores.start({ backup, identity, stamp: withoutClaim(stampOf(actor, clock())), sessionId });
  }

  /** @throws Failure `forbidden` without a recent proof, `invalid-input`, `conflict` if there is no restore */
  async undo(actor: Actor, confirmation: string): Promise<Restore> {
    const { access, requireProof, clock } = this.#deps;
    access(actor, 'administer');
    await requireProof(actor);
    const restores = this.#require();
    requireSame(confirmation, UNDO, `must be "${UNDO}"`);
    const { backup = '' } = restores.read();
    const restore = restores.undo(clock());
    await this.#audit(actor, 'backup.restore-undone', backup);
    return restore;
  }

  #require(): RestoreService {
    const { restores } = this.#deps;
    if (restores !== undefined) return restores;
    throw new Failure('conflict', 'No place for backups is configured. Start the service with --backup-to.');
  }

  async #audit(actor: Actor, action: AuditAction, name: string): Promise<void> {
    const { audit, clock } = this.#deps;
    const entry = done(stampOf(actor, clock()), action, { kind: 'backup', id: name, name: null });
    await audit.apply({ kind: 'note', entry });
  }
}

function requireSame(given: string, expected: string, message: string): void {
  if (given !== expected) throw invalidInput([{ path: '/confirmation', message }]);
}

function withoutClaim({ claim: _claim, ...stamp }: Stamp): Stamp {
  return stamp;
}
