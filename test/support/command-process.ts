import { Readable } from 'node:stream';
import { main } from '../../src/cli/main.ts';

/*
 * A process that runs `menagerie` commands one by one, so that modules are loaded once. Each command gets its own
 * environment, input and output, as in a separate process.
 */

export interface CommandCall {
  id: number;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Text for its standard input, which ends after it. */
  input: string;
}

export interface CommandEnd {
  id: number;
  code: number;
  stdout: string;
  stderr: string;
}

let last = Promise.resolve();
process.on('message', (call: CommandCall) => {
  last = last.then(() => runCommand(call)).then((end) => void process.send?.(end));
});
process.on('disconnect', () => process.exit());

async function runCommand({ id, args, environment, input }: CommandCall): Promise<CommandEnd> {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (chunk: string | Uint8Array) => {
      written[name] += String(chunk);
      return true;
    };
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.env = { ...environment };
  process.exitCode = undefined;
  try {
    await main(args);
  } catch (error) {
    written.stderr += error instanceof Error ? error.stack : String(error);
    process.exitCode = 1;
  }
  process.stdout.removeAllListeners('error');
  return { id, code: process.exitCode ?? 0, ...written };
}
