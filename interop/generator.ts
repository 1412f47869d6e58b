import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Lifetime } from '../test/support/lifetime.ts';
import { temporaryFolder } from '../test/support/service.ts';

const run = promisify(execFile);

const JAR = join(import.meta.dirname, 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar');

/** The generator is older than Java 17, which hides what it looks into. */
const OPENED = ['java.util', 'java.lang'].flatMap((name) => ['--add-opens', `java.base/${name}=ALL-UNNAMED`]);

/**
 * Generates a client from the Swagger document of a service, which the generator finds sound.
 * @returns the folder of the client
 */
export async function generateClient(t: Lifetime, base: string, generator: string): Promise<string> {
  const folder = await temporaryFolder(t);
  const document = join(folder, 'swagger.json');
  const client = join(folder, 'petstore');
  await writeFile(document, await (await fetch(`${base}/swagger.json`)).bytes());
  await runJava('validate', '-i', document);
  await runJava(
    'generate',
    '-i',
    document,
    '-g',
    generator,
    '-o',
    client,
    '--additional-properties',
    'packageName=petstore,typescriptThreePlus=true',
  );
  return client;
}

function runJava(...args: readonly string[]): Promise<unknown> {
  return run('java', [...OPENED, '-jar', JAR, ...args], { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 });
}

/** Runs a program to its end. @throws with what it printed */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: { cwd?: string; environment?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { stdout } = await run(program, args, {
    timeout: 240_000,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { ...process.env, ...options.environment },
  });
  return stdout;
}

/** The reason to skip where a program is not on this machine. */
export async function reasonWithout(...command: readonly [string, ...string[]]): Promise<string | false> {
  const [program, ...args] = command;
  return run(program, args, { timeout: 20_000 }).then(
    () => false as const,
    () => `${command.join(' ')} does not work on this machine`,
  );
}
