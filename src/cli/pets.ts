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

const PETS_HELP = `Export and import pets of a running service.

Usage: menagerie pets COMMAND [FLAGS]

Commands:
  menagerie pets export
      Write all pets to standard output, one JSON object per line, in ascending order of IDs.
  menagerie pets import [FILE]
      Store the pets in FILE, or in standard input if FILE is missing or "-". A pet replaces the stored pet with the same ID; a pet
      without an ID gets a new one. Rejected lines are reported with their numbers, and the other lines are stored.

Flags of every command:
  --url URL   base URL of the API (default http://127.0.0.1:8080/v2; or MENAGERIE_URL)
  --key KEY   API key, if the service requires one (or MENAGERIE_KEY, which the process list does not show)

Examples:
  menagerie pets export > pets.ndjson
  menagerie pets import pets.ndjson --url https://pets.example.org/v2
`;

/** The service writes the requests that arrive together in one transaction. */
const MAX_CONCURRENT_REQUESTS = 32;

/** Statuses that concern one line only. */
const LINE_STATUSES: ReadonlySet<number> = new Set([400, 409, 412, 413]);

export async function pets(args: readonly string[]): Promise<void> {
  const [name = '', ...rest] = args;
  if (name === '--help' || rest.includes('--help')) return print(PETS_HELP);
  try {
    const { client, files } = readCall(rest);
    if (name === 'export' && files.length === 0) return await exportPets(client);
    if (name === 'import' && files.length <= 1) return await importPets(client, files[0] ?? '-');
    throw new UsageError(
      `${args.length === 0 ? 'Missing command.' : `Unknown command: pets ${args.join(' ')}`}\n\n${PETS_HELP}`,
    );
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

/** Backpressure for a slow reader. */
function drained(): Promise<unknown> {
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}

async function importPets(client: Client, file: string): Promise<void> {
  const bar = await barFor(file);
  const counts = { stored: 0, rejected: 0 };
  const pending = new Set<Promise<unknown>>();
  const input = file === '-' ? process.stdin : createReadStream(file);
  let number = 0;
  let failure: unknown;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number++;
    bar?.increment(Buffer.byteLength(line) + 1);
    if (line.trim() === '') continue;
    const storing = storeLine(client, line, { number, counts })
      .catch((error: unknown) => (failure ??= error))
      .finally(() => pending.delete(storing));
    pending.add(storing);
    if (pending.size >= MAX_CONCURRENT_REQUESTS) await Promise.race(pending);
    if (failure !== undefined) break;
  }
  await Promise.all(pending);
  bar?.stop();
  if (failure !== undefined) throw failure;
  const stored = counts.stored === 1 ? '1 pet' : `${counts.stored} pets`;
  print(`${stored} stored${counts.rejected > 0 ? `, ${counts.rejected} rejected` : ''}\n`);
  if (counts.rejected > 0) process.exitCode = FAILED;
}

/** @throws errors that do not concern this line only */
async function storeLine(
  client: Client,
  line: string,
  { number, counts }: { number: number; counts: { stored: number; rejected: number } },
): Promise<void> {
  try {
    await client.addPet({ body: readJson(line) as ArgumentsOf<'addPet'>['body'] });
    counts.stored++;
  } catch (error) {
    const problem = problemOfLine(error);
    if (problem === undefined) throw error;
    counts.rejected++;
    process.stderr.write(`line ${number}: ${problem}\n`);
  }
}

function problemOfLine(error: unknown): string | undefined {
  if (error instanceof SyntaxError) return 'not valid JSON';
  // The client does not send numbers that a double cannot hold.
  if (error instanceof RangeError) return error.message;
  return error instanceof MenagerieError && LINE_STATUSES.has(error.status) ? error.message : undefined;
}

/** Only on a terminal, and only for a file, whose size is known. */
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
  if (code === 'ENOENT') return 'The file does not exist.';
  if (code === 'EISDIR') return 'The path is a folder, not a file.';
  if (code === 'EACCES') return 'The file cannot be read: permission denied.';
  return explainFailure(error);
}
