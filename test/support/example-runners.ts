import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { unpackChromium } from '../web/support/chromium-folder.ts';
import { CHROMIUM_ARGUMENTS } from '../web/support/chromium.ts';
import type { PackedProject } from './packed-project.ts';

/* Examples whose libraries are large: they are those of `npm run test:rest`, and not installed again. */

const EXAMPLES = resolve(import.meta.dirname, '../../examples');

interface Runner {
  library: string;
  /** The program of the library, and its arguments. */
  program: string;
  command: string;
  prepare?: (folder: string) => Promise<NodeJS.ProcessEnv>;
}

export const EXAMPLE_RUNNERS: Readonly<Record<string, Runner>> = {
  jest: {
    library: 'jest',
    program: 'bin/jest.js',
    command: '--ci',
    prepare: async () => ({ NODE_OPTIONS: '--experimental-vm-modules' }),
  },
  vitest: { library: 'vitest', program: 'vitest.mjs', command: 'run' },
  playwright: { library: '@playwright/test', program: 'cli.js', command: 'test', prepare: useChromium },
};

/** Runs the tests of an example in a folder of the project, whose package it finds. @returns their output */
export async function runExample(
  name: string,
  { library, program, command, prepare }: Runner,
  { folder: project }: PackedProject,
  installed: string,
): Promise<string> {
  const folder = join(project, name);
  await cp(join(EXAMPLES, name), folder, { recursive: true });
  const link = join(folder, 'node_modules', library);
  await mkdir(dirname(link), { recursive: true });
  await symlink(installed, link);
  const env = { ...process.env, ...(await prepare?.(folder)) };
  delete env['NODE_TEST_CONTEXT'];
  const running = promisify(execFile)(process.execPath, [join(link, program), command], { cwd: folder, env });
  const { stdout, stderr } = await running.catch((error: unknown) => error as { stdout: string; stderr: string });
  // Jest writes its results to standard error.
  return stripVTControlCharacters(stdout + stderr);
}

/** The version of a library that an example requires. */
export async function requiredVersion(name: string, library: string): Promise<string | undefined> {
  const { devDependencies } = JSON.parse(await readFile(join(EXAMPLES, name, 'package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  return devDependencies[library];
}

/** The browser of the tests, instead of one that Playwright would download. */
async function useChromium(folder: string): Promise<NodeJS.ProcessEnv> {
  const { executable, fonts } = await unpackChromium();
  const launchOptions = { executablePath: executable, args: CHROMIUM_ARGUMENTS };
  const config = `export default ${JSON.stringify({ use: { launchOptions } })};`;
  await writeFile(join(folder, 'playwright.config.js'), config);
  return { FONTCONFIG_PATH: fonts };
}
