import type { InstallationStore } from '../../../domain/ports.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';

const findId = statement('select id from installation where only_row = 1');
const claimId = statement(
  'insert into installation (only_row, id) values (1, $1) on conflict (only_row) do nothing returning id',
);

export function openInstallationStore(ask: Ask): InstallationStore {
  return {
    find: () => findInstallation(ask),
    async claim(id) {
      await ask(claimId, id);
      return (await findInstallation(ask)) ?? id;
    },
  };
}

export async function findInstallation(ask: Ask): Promise<string | undefined> {
  return (await ask<[id: string]>(findId))[0]?.[0];
}
