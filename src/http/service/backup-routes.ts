import { backupOverviewText, backupText } from '../../api/records/backup.ts';
import type { BackupAdministration } from '../../domain/backups.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { emptyBody, sendChunks, sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';

export class BackupRoutes {
  readonly #backups: BackupAdministration;

  constructor({ backupAdministration }: { backupAdministration: BackupAdministration }) {
    this.#backups = backupAdministration;
  }

  addTo(add: AddRoute): void {
    add('listBackups', this.#listBackups);
    add('startBackup', this.#startBackup);
    add('downloadBackup', this.#downloadBackup);
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
}
