import type { InstallationStore } from '../../domain/ports.ts';
import { statement } from './statements.ts';
import type { Reads } from './steps.ts';

const find = statement('select id from installation where only_row = 1');
const claim = statement('insert into installation (only_row, id) values (1, $1) on conflict (only_row) do nothing');
/** @param connect runs work on a connection that may write: a claim happens before the writer is ready */
export function openInstallationStore(
  reads: Reads,
  connect: <T>(work: (reads: Reads) => Promise<T>) => Promise<T>,
): InstallationStore {
  return {
    find: () => findInstallation(reads),
    claim: (id) =>
      connect(async (connection) => {
        await connection.ask(claim, id);
        return (await findInstallation(connection)) ?? id;
      }),
  };
}

export async function findInstallation(reads: Reads): Promise<string | undefined> {
  return (await reads.ask<[id: string]>(find))[0]?.[0];
}
