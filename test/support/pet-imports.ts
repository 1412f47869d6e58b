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
  /** Imports this text as a file, with these flags. New pets are published. */
  run: (text: string, ...flags: string[]) => Promise<Ended>;
}

export async function prepareImport(t: Lifetime): Promise<PetImports> {
  const { base } = await startTestService(t);
  const folder = await temporaryFolder(t);
  const run: PetImports['run'] = async (text, ...flags) => {
    const file = join(folder, 'pets.csv');
    await writeFile(file, text);
    return runCommand(['pets', 'import', file, '--url', base, '--publish', ...flags]);
  };
  return { client: createClient({ base }), base, folder, run };
}

export async function petsOf(client: Client) {
  return Array.fromAsync(client.exportPets.lines());
}

/** What the command says about new pets that are not published. */
export function draftsText(base: string, count: number): string {
  const [them, are] =
    count === 1 ? ['1 draft: only staff see it', 'it is'] : [`${count} drafts: only staff see them`, 'they are'];
  return `${them} until ${are} published, for example at ${base.replace(/v2$/, '')}?published=false`;
}
