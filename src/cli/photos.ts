import type { OperatorDesk } from '../server/operator.ts';
import { runCommand, type Call, type Command } from './command.ts';
import { print } from './output.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  adopt: {
    usage: 'photos adopt',
    help: `Makes the stored photos those of this database, where the service does not start because they belong to another one. Stop the service
      before. Photos that the database does not know move to the trash once they have been unknown to it for --photo-grace-hours.`,
    argumentCount: 0,
    run: adopt,
  },
};

/** `menagerie photos ...`: the photo store, for the operator. */
export async function photos(args: readonly string[]): Promise<void> {
  await runCommand('photos', COMMANDS, args);
}

async function adopt(desk: OperatorDesk, { isJson }: Call): Promise<void> {
  await desk.adoptPhotos();
  print(isJson ? '{"adopted":true}\n' : 'The photos belong to this database now.\n');
}
