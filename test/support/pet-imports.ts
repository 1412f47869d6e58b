import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client } from '../../src/client/client.ts';
import type { Lifetime } from './lifetime.ts';
import type { Ended } from './menagerie-process.ts';
import { runCommand } from './operator-commands.ts';
import { startTestService, temporaryFolder } from './service.ts';

interface PetImports {
  client: Client;
  base: string;
  folder: string;
  /** Imports this text as a file, with these flags. */
  run: (text: string, ...flags: string[]) => Promise<Ended>;
}

export async function prepareImport(t: Lifetime): Promise<PetImports> {
  const { base } = await startTestService(t);
  const folder = await temporaryFolder(t);
  const run: PetImports['run'] = async (text, ...flags) => {
    const file = join(folder, 'pets.csv');
    await writeFile(file, text);
    return runCommand(['pets', 'import', file, '--url', base, ...flags]);
  };
  return { client: createClient({ base }), base, folder, run };
}

export async function petsOf(client: Client) {
  return Array.fromAsync(client.exportPets.lines());
}
