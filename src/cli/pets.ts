import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { jsonText } from '../api/answers.ts';
import { createClient, MenagerieError, NetworkError, type ArgumentsOf, type Client } from '../client/client.ts';
import { readJson } from '../client/int64-text.ts';
import { readCommandVariable } from '../server/config.ts';
import { explainFailure } from '../server/explain-failure.ts';
import { FAILED, print, USAGE, UsageError } from './output.ts';

const PETS_HELP = `Talks to a running service.

  menagerie pets export > pets.ndjson
      Writes every pet, one JSON text a line, in ascending order of ids.
  menagerie pets import FILE
      Stores the pets of such a file; without FILE, or with -, of the input. One that has the id of a pet takes its place; one
      without an id gets one. What is refused is told by its line, and the rest goes on.

Flags of each:
  --url URL   where the interface begins (default http://127.0.0.1:8080/v2, or MENAGERIE_URL)
  --key KEY   an API key, where one is needed (or MENAGERIE_KEY, which does not show in the list of processes)
`;

/** So many at once: the service writes what arrives together in one transaction. */
const AT_ONCE = 32;

/** The line is not good, or its pet: the next may be. */
const OF_LINE: ReadonlySet<number> = new Set([400, 409, 412, 413]);

/** `menagerie pets export` and `menagerie pets import`. */
export async function pets(args: readonly string[]): Promise<void> {
  const [name = '', ...rest] = args;
  if (name === '--help' || rest.includes('--help')) return print(PETS_HELP);
  try {
    const { client, files } = readCall(rest);
    if (name === 'export' && files.length === 0) return await exportPets(client);
    if (name === 'import' && files.length <= 1) return await importPets(client, files[0] ?? '-');
    throw new UsageError(`There is no command ${`pets ${args.join(' ')}`.trim()}.\n\n${PETS_HELP}`);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = error instanceof UsageError ? USAGE : FAILED;
  }
}

function readCall(args: readonly string[]): { client: Client; files: readonly string[] } {
  try {
    const options = { url: { type: 'string' }, key: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const base = values.url ?? readCommandVariable('url');
    const apiKey = values.key ?? readCommandVariable('key');
    const client = createClient({ ...(base !== undefined && { base }), ...(apiKey !== undefined && { apiKey }) });
    return { client, files: positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : '', { cause: error });
  }
}

async function exportPets(client: Client): Promise<void> {
  for await (const pet of client.findPets.all({ sort: 'id', limit: 1000 }))
    if (!process.stdout.write(`${jsonText(pet)}\n`)) await drained();
}

/** Whoever reads slowly is not sent more than they take. */
function drained(): Promise<unknown> {
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}

async function importPets(client: Client, file: string): Promise<void> {
  const bar = await barFor(file);
  const counts = { stored: 0, refused: 0 };
  const underWay = new Set<Promise<unknown>>();
  const input = file === '-' ? process.stdin : createReadStream(file);
  let number = 0;
  let trouble: unknown;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number++;
    bar?.increment(Buffer.byteLength(line) + 1);
    if (line.trim() === '') continue;
    const storing = storeLine(client, line, { number, counts })
      .catch((error: unknown) => (trouble ??= error))
      .finally(() => underWay.delete(storing));
    underWay.add(storing);
    if (underWay.size >= AT_ONCE) await Promise.race(underWay);
    if (trouble !== undefined) break;
  }
  await Promise.all(underWay);
  bar?.stop();
  if (trouble !== undefined) throw trouble;
  print(`${counts.stored} pets stored${counts.refused > 0 ? `, ${counts.refused} refused` : ''}\n`);
  if (counts.refused > 0) process.exitCode = FAILED;
}

/** @throws what would meet every other line as well */
async function storeLine(
  client: Client,
  line: string,
  { number, counts }: { number: number; counts: { stored: number; refused: number } },
): Promise<void> {
  try {
    await client.addPet({ body: readJson(line) as ArgumentsOf<'addPet'>['body'] });
    counts.stored++;
  } catch (error) {
    const problem = problemOfLine(error);
    if (problem === undefined) throw error;
    counts.refused++;
    process.stderr.write(`line ${number}: ${problem}\n`);
  }
}

function problemOfLine(error: unknown): string | undefined {
  if (error instanceof SyntaxError) return 'is no JSON';
  // What a line may have that cannot be sent: numbers beyond what a double holds.
  if (error instanceof RangeError) return error.message;
  return error instanceof MenagerieError && OF_LINE.has(error.status) ? error.message : undefined;
}

/** For a person, and where it is known how much there is. */
async function barFor(file: string): Promise<SingleBar | undefined> {
  if (file === '-' || !process.stderr.isTTY) return undefined;
  const bar = new SingleBar({ stream: process.stderr, format: '{bar} {percentage}%', gracefulExit: false });
  bar.start((await stat(file)).size, 0);
  return bar;
}

function explain(error: unknown): string {
  if (error instanceof UsageError || error instanceof MenagerieError || error instanceof NetworkError)
    return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'There is no such file.';
  if (code === 'EISDIR') return 'This is a folder, not a file.';
  if (code === 'EACCES') return 'The file cannot be read: it is not for this user.';
  return explainFailure(error);
}
