import { createCheck } from '../api/check.ts';
import { jsonText } from '../api/records/record-text.ts';
import { SentPet, SentPetPatch } from '../api/records/sent-pet.ts';
import { SentProfile, type ExportedPet } from '../api/records/profile.ts';
import { createClient, MenagerieError, NetworkError, type Client } from '../client/client.ts';
import { readCommandVariable } from '../server/configuration/config.ts';
import type { Values } from '../server/configuration/arguments.ts';
import { explainFailure } from '../server/log/explain-failure.ts';
import { plainUrl } from '../server/configuration/setting-values.ts';
import { openPhotoSource, shrinkPhoto } from '../server/stores/photo-sources.ts';
import { BYTE_ORDER_MARK } from '../transfer/csv.ts';
import { PetImport } from '../transfer/pet-import.ts';
import { MATCHES, type Match } from '../transfer/pet-matching.ts';
import { PET_TABLE, petCsv, petTable } from '../transfer/pet-table.ts';
import { createLocations, readSite, type Site } from '../transfer/profiles/site.ts';
import { answersOfCountry, type Answers } from '../transfer/profiles/conventions.ts';
import { PROGRAM_NAMES, WRITTEN_FOR } from '../transfer/programs/programs.ts';
import { DATE_ORDERS } from '../transfer/profiles/profile-dates.ts';
import { exportedColumns } from '../transfer/profiles/profile-columns.ts';
import { UnusableFile } from '../transfer/unusable-file.ts';
import { FAILED, USAGE, UsageError, print, printError, write } from './terminal/output.ts';
import { explainUnknownCommand, readCommandLine } from './terminal/usage.ts';
import { readColumnMap, runImport } from './transfer/run-import.ts';
import { openSource, readFormat } from './transfer/source-file.ts';

const PETS_HELP = `Export and import pets of a running service. The guide is docs/guides/import-and-export.md.

Usage: menagerie pets COMMAND [FLAGS]

Commands:
  menagerie pets export
      Write all pets to standard output, in ascending order of IDs.
        --format FORMAT   ndjson (default): one JSON object per line; csv: for spreadsheets
        --for PROGRAM     a CSV file that another program imports: asm3
        --delimiter NAME  comma (default), or semicolon for Excel in German, with a comma in numbers
        --profiles        add profiles, in CSV as a column for each field
        --history         write all versions of all pets, including deleted ones, in the order of the changes, as NDJSON
  menagerie pets import [FILE]
      Store the pets in FILE, or in standard input if FILE is missing or "-". Rows with problems are reported, and the other
      rows are stored. Repeating an import creates no duplicates of pets that it can match.
        --format FORMAT       csv or ndjson; by default that of the content
        --map 'NAME=COLUMN'   read the column NAME of the file as COLUMN, or ignore it without COLUMN; may be repeated
        --match COLUMNS       how rows are matched to stored pets: id, externalId, name, name,category, or none to add
                              every row; by default id or externalId, if the file has one
        --from PROGRAM        the program that wrote the file, or none; by default the one that its columns are of:
                              ${PROGRAM_NAMES.join(', ')}
        --dates ORDER         day-first or month-first, for dates such as 03/04/2026 if no other date of the file says it
        --weights UNIT        kg or lb, for weights without a unit
        --rename              change the names of the matched pets, even if nearly all differ
        --strict              do not store a row if one of its cells cannot be stored
        --publish             publish new pets, which are otherwise drafts unless the file says that they are listed
        --create-locations    add the locations of the file that the organisation does not have, as an administrator
        --dry-run             check the file, and show what would be done
        --result FILE         record the outcome, ID and error of each row, as .csv or .ndjson
        --photos FILE         a ZIP file with the photos that the column photoUrls names
        --fetch-photos        download and store the photos whose addresses are in the column photoUrls
        --private-addresses   allow photos on this machine and in its private network

Flags of every command:
  --url URL   address of the service or its API (default http://127.0.0.1:8080/v2; or MENAGERIE_URL)
  --key KEY   API key, if the service requires one (or MENAGERIE_KEY, which the process list does not show)

Examples:
  menagerie pets export --format csv > pets.csv
  menagerie pets import pets.csv --dry-run
  menagerie pets import tiere.csv --match name --map Rufname=name --map Tierart=category
  menagerie pets import new-pets.csv --match name --photos photos.zip --result result.csv
  menagerie pets import pets.ndjson --url https://pets.example.org/v2
`;

const DEFAULT_BASE = 'http://127.0.0.1:8080/v2';

/** Anything else would be refused by the HTTP client, as if the service were unreachable. */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

const COMMON_OPTIONS = { url: { type: 'string' }, key: { type: 'string' }, format: { type: 'string' } } as const;

const EXPORT_OPTIONS = {
  ...COMMON_OPTIONS,
  history: { type: 'boolean' },
  profiles: { type: 'boolean' },
  for: { type: 'string' },
  delimiter: { type: 'string' },
} as const;

const IMPORT_OPTIONS = {
  ...COMMON_OPTIONS,
  map: { type: 'string', multiple: true },
  match: { type: 'string' },
  dates: { type: 'string' },
  from: { type: 'string' },
  weights: { type: 'string' },
  'dry-run': { type: 'boolean' },
  rename: { type: 'boolean' },
  strict: { type: 'boolean' },
  publish: { type: 'boolean' },
  'create-locations': { type: 'boolean' },
  result: { type: 'string' },
  photos: { type: 'string' },
  'fetch-photos': { type: 'boolean' },
  'private-addresses': { type: 'boolean' },
} as const;

const EXPORT_USAGE = 'Usage: menagerie pets export [--format FORMAT] [--profiles] [--history] [--url URL] [--key KEY]';
const IMPORT_USAGE =
  'Usage: menagerie pets import [FILE] [--format FORMAT] [--match COLUMNS] [--dry-run] [--result FILE] [--photos ' +
  'FILE] [--url URL] [--key KEY]';

/** Pets are converted to CSV in groups. */
const CSV_ROWS = 100;

export async function pets([name = '', ...args]: readonly string[]): Promise<void> {
  if (name === '--help' || args.includes('--help')) return print(PETS_HELP);
  try {
    switch (name) {
      case 'export':
        return await exportPets(readCommandLine(args, EXPORT_OPTIONS, EXPORT_USAGE).values);
      case 'import': {
        const { values, positionals } = readCommandLine(args, IMPORT_OPTIONS, IMPORT_USAGE, [0, 1]);
        return await importPets(positionals[0] ?? '-', values);
      }
      case '':
        throw new UsageError(`Missing command.\n\n${PETS_HELP}`);
      default:
        throw new UsageError(explainUnknownCommand(name, ['export', 'import'], 'pets'));
    }
  } catch (error) {
    printError(explain(error));
    process.exitCode = error instanceof UsageError ? USAGE : FAILED;
  }
}

/** @throws UsageError */
function connect({ url, key }: { url?: string | undefined; key?: string | undefined }): {
  client: Client;
  /** The URL that precedes `/v2/photo/` in the addresses of photos. */
  serviceUrl: string;
} {
  const base = readBase(url ?? readCommandVariable('url') ?? DEFAULT_BASE);
  const apiKey = key ?? readCommandVariable('key');
  if (apiKey !== undefined && !HEADER_VALUE.test(apiKey))
    throw new UsageError('--key (MENAGERIE_KEY) must be an API key, as "menagerie key create" prints it.');
  const client = createClient({ base: base.href, ...(apiKey !== undefined && { apiKey }) });
  return { client, serviceUrl: base.href.replace(/\/v2\/?$/, '') };
}

/** The base URL of the API. The address of the service alone is enough. @throws UsageError */
function readBase(text: string): URL {
  const url = plainUrl(text);
  if (url === undefined)
    throw new UsageError(
      `--url (MENAGERIE_URL) must be a URL such as ${DEFAULT_BASE}, without credentials, query and fragment.`,
    );
  return url.pathname === '/' ? new URL('/v2', url) : url;
}

async function exportPets(flags: Values<typeof EXPORT_OPTIONS>): Promise<void> {
  const { client } = connect(flags);
  const writtenFor = readChoice('for', flags.for, WRITTEN_FOR);
  const delimiter = readChoice('delimiter', flags.delimiter, ['comma', 'semicolon'] as const);
  const isTable = writtenFor !== undefined || delimiter !== undefined;
  const format = readFormat(flags.format) ?? (isTable ? 'csv' : 'ndjson');
  if (isTable && format !== 'csv') throw new UsageError('--for and --delimiter are for CSV only.');
  const hasProfiles = flags.profiles === true || writtenFor !== undefined;
  if (flags.history === true && format === 'csv') throw new UsageError('The history is exported as NDJSON only.');
  if (flags.history === true) return writeLines(client.exportPetHistory.lines());
  const lines = client.exportPets.lines(hasProfiles ? { include: 'profile' } : {});
  if (format === 'ndjson') return writeLines(lines);
  const columns = hasProfiles ? exportedColumns((await client.getOwnFields()).fields, true) : [];
  const organisation = writtenFor === undefined ? undefined : await client.getOrganisation();
  const { header, textOf } = petCsv({ columns, delimiter, writtenFor, organisation });
  await write(BYTE_ORDER_MARK + header);
  let group: ExportedPet[] = [];
  for await (const pet of lines) {
    group.push(pet);
    if (group.length < CSV_ROWS) continue;
    await write(textOf(group));
    group = [];
  }
  await write(textOf(group));
}

async function writeLines(records: AsyncIterable<unknown>): Promise<void> {
  for await (const record of records) await write(`${jsonText(record)}\n`);
}

async function importPets(file: string, flags: Values<typeof IMPORT_OPTIONS>): Promise<void> {
  const { client, serviceUrl } = connect(flags);
  const match = readChoice('match', flags.match, MATCHES);
  const answers = readAnswers(flags);
  const from = readFrom(flags.from);
  const maps = flags.map ?? [];
  // The service defines the other columns. A wrong flag is reported even if it is unreachable.
  readColumnMap(
    maps.filter((text) => !OWN_COLUMN.test(text)),
    PET_TABLE,
  );
  const photos = await openPhotoSource({
    zip: flags.photos,
    isFetching: flags['fetch-photos'] === true,
    isPrivateAllowed: flags['private-addresses'] === true,
    ownOrigin: serviceUrl,
  });
  const source = await openSource(file, flags.format);
  try {
    const site = await readSite(client);
    const importTo = (where: Site) => {
      const work = new PetImport({
        client,
        match,
        site: where,
        photos,
        shrink: shrinkPhoto,
        isStrict: flags.strict === true,
        isPublishing: flags.publish === true,
        checks: { pet: createCheck(SentPet), patch: createCheck(SentPetPatch), profile: createCheck(SentProfile) },
      });
      return { table: petTable(where), work };
    };
    const { table, work } = importTo(site);
    const isDryRun = flags['dry-run'] === true;
    const create = async (names: readonly string[]) => importTo(await siteWith(client, site, names, isDryRun));
    await runImport({
      source,
      table,
      map: readColumnMap(maps, table),
      records: 'pets',
      work,
      from,
      answers,
      assumed: answersOfCountry(site.country),
      isDryRun,
      createLocations: flags['create-locations'] === true ? create : undefined,
      resultPath: flags.result,
      mayRename: flags.rename === true,
      draftsUrl: `${serviceUrl}/?published=false`,
      keylessText: (count) => KEYLESS_TEXTS[work.match]?.(count),
    });
  } finally {
    await source.close();
  }
}

/** The organisation with further locations. @throws UsageError if the user is no administrator */
async function siteWith(client: Client, site: Site, names: readonly string[], isDryRun: boolean): Promise<Site> {
  if (isDryRun) return { ...site, locations: [...site.locations, ...names.map((name) => ({ id: name, name }))] };
  try {
    await createLocations(client, names);
  } catch (error) {
    if (!(error instanceof MenagerieError && [401, 403].includes(error.status))) throw error;
    throw new UsageError(
      '--create-locations requires the session of an administrator as --key. An API key is not enough.',
    );
  }
  return readSite(client);
}

/** The end of a map to a field that the organisation defines. */
const OWN_COLUMN = /=\s*own\.[^=]*$/i;

/** @throws UsageError */
function readChoice<T extends string>(flag: string, value: string | undefined, choices: readonly T[]): T | undefined {
  const known = choices.find((each) => each === value);
  if (value !== undefined && known === undefined)
    throw new UsageError(`--${flag} must be one of ${choices.join(' | ')}.`);
  return known;
}

/** @throws UsageError */
function readAnswers({ dates, weights }: Values<typeof IMPORT_OPTIONS>): Answers {
  const order = readChoice('dates', dates, DATE_ORDERS);
  const unit = readChoice('weights', weights, WEIGHT_UNITS);
  return { ...(order && { dates: order }), ...(unit && { weights: unit }) };
}

/** @throws UsageError */
function readFrom(from: string | undefined): string | undefined {
  const names = [...PROGRAM_NAMES, 'none'];
  if (from !== undefined && !names.includes(from.toLowerCase()))
    throw new UsageError(`--from must be one of ${names.join(' | ')}.`);
  return from?.toLowerCase();
}

const WEIGHT_UNITS = ['kg', 'lb'] as const;

const KEYLESS_TEXTS: Readonly<Partial<Record<Match, (count: number) => string>>> = {
  id: (count) => `${rowsHave(count)} no ID: each import adds new pets for them. --match name matches pets by name.`,
  externalId: (count) => `${rowsHave(count)} no externalId: each import adds new pets for them.`,
};

function rowsHave(count: number): string {
  return count === 1 ? '1 row has' : `${count} rows have`;
}

function explain(error: unknown): string {
  if (error instanceof UsageError || error instanceof MenagerieError) return error.message;
  if (error instanceof NetworkError) return `${error.message} Check that it is running, and --url (MENAGERIE_URL).`;
  if (error instanceof UnusableFile) return `${error.message} Nothing was changed.`;
  return explainFailure(error);
}
