import type { OperatorDesk } from '../server/operator.ts';
import { runCommand, type Call, type CommandGroup } from './terminal/command.ts';
import { print } from './terminal/output.ts';

const PHOTOS: CommandGroup = {
  name: 'photos',
  help: 'Manage the photo store. Works on the database itself; stop the service first.',
  commands: {
    adopt: {
      usage: 'photos adopt',
      help: `Assign the stored photos to this database, if the service refuses to start because they belong to another one. Photos that no pet
      of this database has are moved to the trash after --photo-grace-hours.`,
      argumentCount: 0,
      run: adopt,
    },
  },
  examples: ['menagerie photos adopt --data-dir /srv/pets'],
};

export async function photos(args: readonly string[]): Promise<void> {
  await runCommand(PHOTOS, args);
}

async function adopt(desk: OperatorDesk, { isJson }: Call): Promise<void> {
  await desk.adoptPhotos();
  print(isJson ? '{"adopted":true}\n' : 'The photos now belong to this database.\n');
}
