import {
  backupCheckText,
  backupOverviewText,
  backupText,
  restoreText,
  SentBackupCheck,
  SentRestore,
  SentUndo,
} from '../../api/records/backup.ts';
import type { BackupAdministration } from '../../domain/backups.ts';
import type { RestoreAdministration } from '../../domain/restores.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { emptyBody, sendChunks, sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';

interface BackupRoutesDeps {
  backupAdministration: BackupAdministration;
  restoreAdministration: RestoreAdministration;
}

export class BackupRoutes {
  readonly #backups: BackupAdministration;
  readonly #restores: RestoreAdministration;

  constructor({ backupAdministration, restoreAdministration }: BackupRoutesDeps) {
    this.#backups = backupAdministration;
    this.#restores = restoreAdministration;
  }

  addTo(add: AddRoute): void {
    add('listBackups', this.#listBackups);
    add('startBackup', this.#startBackup);
    add('downloadBackup', this.#downloadBackup);
    add('checkBackup', this.#checkBackup, SentBackupCheck);
    add('restoreBackup', this.#restoreBackup, SentRestore);
    add('getRestore', this.#getRestore);
    add('undoRestore', this.#undoRestore, SentUndo);
  }

  readonly #listBackups: Handler = async (request, reply) => {
    const { schedule, backups } = await this.#backups.list(actorOf(request));
    return sendJson(reply, backupOverviewText(schedule, backups));
  };

  readonly #startBackup: Handler = async (request, reply) =>
    sendJson(reply.code(202), backupText(await this.#backups.start(actorOf(request))));

  readonly #downloadBackup: Handler = async (request, reply) => {
    const { backup } = request.params as { backup: string };
    const chunks = await this.#backups.getArchive(actorOf(request), backup);
    // The name is that of a backup: without quotes and line ends.
    reply.headers({
      'content-type': 'application/x-tar',
      'content-disposition': `attachment; filename="menagerie-${backup}.tar"`,
    });
    return request.method === 'HEAD' ? reply.send(emptyBody()) : sendChunks(reply, chunks, { objectMode: false });
  };

  readonly #checkBackup: Handler<SentBackupCheck> = async (request, reply) => {
    const { backup } = request.params as { backup: string };
    const { identity } = request.body;
    return sendJson(reply, backupCheckText(await this.#restores.check(actorOf(request), backup, identity)));
  };

  readonly #restoreBackup: Handler<SentRestore> = async (request, reply) => {
    const { backup } = request.params as { backup: string };
    const { confirmation, identity } = request.body;
    const restore = await this.#restores.start(actorOf(request), backup, { confirmation, identity });
    return sendJson(reply.code(202), restoreText(restore));
  };

  readonly #getRestore: Handler = async (request, reply) =>
    sendJson(reply, restoreText(this.#restores.get(actorOf(request))));

  readonly #undoRestore: Handler<SentUndo> = async (request, reply) => {
    const { confirmation } = request.body;
    return sendJson(reply.code(202), restoreText(await this.#restores.undo(actorOf(request), confirmation)));
  };
}
