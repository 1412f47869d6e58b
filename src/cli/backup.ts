import { resolve } from 'node:path';
import { readCommandVariable } from '../server/configuration/config.ts';
import type { Arguments } from '../server/configuration/arguments.ts';
import { checkBackup } from '../server/backup/check-backup.ts';
import { archiveKind, type ArchiveFile } from '../server/backup/archive-file.ts';
import { createArchive, createBackup, type BackupReport } from '../server/backup/create-backup.ts';
import { listPlace, restoreArchive, restoreBackup } from '../server/backup/restore-backup.ts';
import { canResume, CopyStopped, type RestoreReport } from '../server/backup/copy-to-target.ts';
import { labelOfFiles, placesOf, type FilesPlace, type InstallationPlace } from '../server/configuration/places.ts';
import { readBackupPlace, readRecipients } from '../server/configuration/setting-values.ts';
import { INSTALLATION_FLAGS, readInstallationConfig } from './terminal/command.ts';
import { FAILED, UsageError, plainText, print, printError, printFailure } from './terminal/output.ts';
import { readKeyFile, readPassphrase } from './terminal/password-input.ts';
import { ProgressView, STOPPED, stopOnSignal, type Progress } from './terminal/progress.ts';
import { tableOf } from './terminal/table.ts';
import { readCommandLine } from './terminal/usage.ts';

const BACKUP_HELP = `Copy all data to a folder, bucket or file: all pets and their versions, users, sessions, API keys, audit log and photos. The
service may be running: a backup has exactly the changes that were committed when it began.

Usage: menagerie backup PLACE [--keep COUNT] [--final] [FLAGS]
       menagerie backup PLACE --list [--json]
       menagerie backup PLACE --check [--backup NAME] [--identity-file FILE]
       menagerie backup FILE [--final] [FLAGS]

PLACE is a folder, or s3://bucket/prefix. It can have many backups of one installation, which share their photos.
FILE is a new archive with one backup: its name ends with .tar or .tar.zst, or with .tar.age or .tar.zst.age to encrypt it.

Flags:
  --keep COUNT        then delete all but the newest COUNT backups
  --list              list the backups of PLACE
  --check             read a whole backup of PLACE as a restore does, and change nothing; --backup NAME selects an older one
  --recipients LIST   encrypt a backup in PLACE to these age recipients, separated by commas (default: those of the service,
                      --backup-recipients); "menagerie backup-key" makes one
  --verify            compare the content of the photos in PLACE, and not only their sizes; damaged ones are copied again
  --final             the last backup before the data is restored elsewhere: no server may be running on it, and afterwards a
                      PostgreSQL database refuses changes and servers, unless photos are missing
  --data-dir FOLDER   data folder (default ./data; or MENAGERIE_DATA_DIR)
  --config FILE       config file of the service (default: menagerie.toml in the data folder; or MENAGERIE_CONFIG)
  --json              print one JSON object per line
  --passphrase-file FILE   the first line of FILE is the passphrase of an encrypted archive (or MENAGERIE_BACKUP_PASSPHRASE_FILE);
                      by default, it is read from the terminal
  --identity-file FILE     the age identity of an encrypted backup in PLACE (or MENAGERIE_BACKUP_IDENTITY_FILE); without it, --check
                      compares the stored files only

With MENAGERIE_DATABASE_URL and MENAGERIE_PHOTOS_URL, the database and the photos are there, as for the service.
A backup has password hashes and secrets: keep it as safe as the data itself.
Photos that are missing or damaged are named, and the command fails: the backup has everything else.

Examples:
  menagerie backup /mnt/backups --keep 7
  menagerie backup s3://backups/pets --data-dir /srv/pets
  menagerie backup /mnt/backups --check --identity-file backup-key.txt
  menagerie backup pets.tar.zst.age
  menagerie backup /mnt/move --final
`;

const RESTORE_HELP = `Copy a backup to an empty data folder or database, and compare both. The engine may be another one.

Usage: menagerie restore PLACE [--backup NAME] [FLAGS]

PLACE is the folder, bucket or file of "menagerie backup". A file is unpacked in the data folder first.

Flags:
  --backup NAME       the backup to restore (default: the newest; "menagerie backup PLACE --list" lists them)
  --data-dir FOLDER   the new data folder (default ./data; or MENAGERIE_DATA_DIR)
  --config FILE       config file of the new service (default: menagerie.toml in the data folder; or MENAGERIE_CONFIG)
  --json              print one JSON object per line
  --passphrase-file FILE   the first line of FILE is the passphrase of an encrypted archive (or MENAGERIE_BACKUP_PASSPHRASE_FILE);
                      by default, it is read from the terminal
  --identity-file FILE     the age identity of an encrypted backup in PLACE (or MENAGERIE_BACKUP_IDENTITY_FILE)

With MENAGERIE_DATABASE_URL and MENAGERIE_PHOTOS_URL, the database and the photos are restored there. They must be empty.
To resume an interrupted restore, run the same command again; until it has finished, no server starts on the target.

Examples:
  menagerie restore /mnt/backups --data-dir /srv/new-pets
  menagerie restore s3://backups/pets --backup 2026-11-23T03-00-00-000Z
  MENAGERIE_DATABASE_URL=postgres://menagerie@db.example.org/pets MENAGERIE_PHOTOS_URL=s3://pets menagerie restore /mnt/move
`;

interface BackupCall {
  place: FilesPlace | ArchiveFile;
  installation: InstallationPlace;
  dataDir: string;
  keep: number | undefined;
  backup: string | undefined;
  isList: boolean;
  isCheck: boolean;
  recipients: readonly string[];
  /** The text of a key file. */
  identity: string | undefined;
  isVerifying: boolean;
  isFinal: boolean;
  isJson: boolean;
}

const COMMON_OPTIONS = {
  ...INSTALLATION_FLAGS,
  json: { type: 'boolean' },
  'passphrase-file': { type: 'string' },
  'identity-file': { type: 'string' },
  backup: { type: 'string' },
} as const;

const BACKUP_OPTIONS = {
  ...COMMON_OPTIONS,
  keep: { type: 'string' },
  list: { type: 'boolean' },
  check: { type: 'boolean' },
  recipients: { type: 'string' },
  verify: { type: 'boolean' },
  final: { type: 'boolean' },
} as const;

const RESTORE_OPTIONS = COMMON_OPTIONS;

const BACKUP_USAGE =
  'Usage: menagerie backup PLACE|FILE [--keep COUNT] [--list] [--check] [--verify] [--final] [--recipients LIST] [--data-dir FOLDER] [--config FILE] [--json]';
const RESTORE_USAGE =
  'Usage: menagerie restore PLACE|FILE [--backup NAME] [--identity-file FILE] [--data-dir FOLDER] [--config FILE] [--json]';

export async function backup(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(BACKUP_HELP);
  await run(() => readCommandLine(args, BACKUP_OPTIONS, BACKUP_USAGE, [1, 1]), writeBackup);
}

export async function restore(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(RESTORE_HELP);
  await run(() => readCommandLine(args, RESTORE_OPTIONS, RESTORE_USAGE, [1, 1]), readBackup);
}

type CommandLine = Arguments<typeof BACKUP_OPTIONS & typeof RESTORE_OPTIONS>;

async function run(
  read: () => CommandLine,
  work: (call: BackupCall, view: ProgressView, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = stopOnSignal();
  const view = new ProgressView();
  try {
    await work(await readCall(read(), work === writeBackup), view, stop.signal);
  } catch (error) {
    view.end();
    if (!(error instanceof CopyStopped)) return printFailure(error);
    printError('Stopped.');
    process.exitCode = STOPPED;
  } finally {
    stop.forget();
  }
}

async function readCall({ values, positionals: [place = ''] }: CommandLine, isNew: boolean): Promise<BackupCall> {
  const read = readBackupPlace(place);
  if ('problems' in read) throw new UsageError(read.problems.map((problem) => `PLACE: ${problem}`).join('\n'));
  const { keep, list, check, verify, recipients, final: isFinal, 'passphrase-file': passphraseFile } = values;
  if (keep !== undefined && !/^[1-9]\d{0,5}$/.test(keep))
    throw new UsageError('--keep must be a number of backups, at least 1.');
  const kind = 'folder' in read ? archiveKind(read.folder) : undefined;
  const isOnlyRead = list === true || check === true;
  if (kind !== undefined && (keep !== undefined || isOnlyRead || verify === true))
    throw new UsageError('An archive has one backup: omit --keep, --list, --check and --verify.');
  if (kind !== undefined && recipients !== undefined)
    throw new UsageError('An archive is encrypted with a passphrase: omit --recipients, and end the name with .age.');
  if (isOnlyRead && (keep !== undefined || verify === true || isFinal === true || recipients !== undefined))
    throw new UsageError('--list and --check make no backup: omit --keep, --verify, --final and --recipients.');
  if (list === true && check === true) throw new UsageError('Use either --list or --check.');
  if (isNew && check !== true && (values.backup ?? values['identity-file']) !== undefined)
    throw new UsageError('A backup is selected and decrypted by --check only: omit --backup and --identity-file.');
  if (kind?.isEncrypted !== true && passphraseFile !== undefined)
    throw new UsageError('Only archives are encrypted with a passphrase: end the name with .tar.age or .tar.zst.age.');
  const config = readInstallationConfig(values);
  const archive = kind && {
    path: resolve(place),
    passphrase: kind.isEncrypted
      ? await readPassphrase(passphraseFile ?? readCommandVariable('backup-passphrase-file'), isNew)
      : undefined,
  };
  return {
    place: archive ?? read,
    installation: placesOf(config),
    dataDir: config.dataDir,
    keep: keep === undefined ? undefined : Number(keep),
    backup: values.backup,
    isList: values.list === true,
    isCheck: check === true,
    recipients: recipients === undefined ? (config.backupRecipients ?? []) : readGivenRecipients(recipients),
    identity: isNew && check !== true ? undefined : readIdentityFile(values['identity-file']),
    isVerifying: values.verify === true,
    isFinal: isFinal === true,
    isJson: values.json === true,
  };
}

/** The identity is in a file, because every process of the machine can see arguments. */
function readIdentityFile(given: string | undefined): string | undefined {
  const file = given ?? readCommandVariable('backup-identity-file');
  return file === undefined ? undefined : readKeyFile(file);
}

function readGivenRecipients(text: string): readonly string[] {
  const recipients = readRecipients(text);
  if (recipients !== undefined) return recipients;
  throw new UsageError('--recipients must be age recipients, separated by commas: each begins with age1.');
}

async function writeBackup(call: BackupCall, view: ProgressView, signal: AbortSignal): Promise<void> {
  const { place, installation, keep, recipients, isList, isCheck, isVerifying, isFinal, isJson } = call;
  if (isList && !('path' in place)) return list(place, isJson);
  if (isCheck && !('path' in place)) return check(place, call, signal);
  const watch = { signal, onProgress: progressOf(view, isJson) };
  const report =
    'path' in place
      ? await createArchive({ from: installation, to: place, isFinal, watch })
      : await createBackup({ from: installation, to: place, keep, recipients, isVerifying, isFinal, watch });
  view.end();
  if (isJson) print(`${JSON.stringify(report)}\n`);
  else printBackup(report, call);
  const { missingPhotos } = report;
  if (missingPhotos.length === 0) return;
  for (const digest of missingPhotos) printError(`Photo ${digest} is missing or damaged; it is not in the backup.`);
  if (isFinal)
    printError(
      'Photos are missing, so the backup is not final. Check the place of the photos, and run the command again.',
    );
  process.exitCode = FAILED;
}

/** One JSON object per line for programs, such as the service that runs this command. */
function progressOf(view: ProgressView, isJson: boolean): (progress: Progress) => void {
  return isJson ? (progress) => print(`${JSON.stringify({ progress })}\n`) : (progress) => view.show(progress);
}

function printBackup(report: BackupReport, { place, installation, isFinal }: BackupCall): void {
  const { name, rows, photos, newPhotos, repairedPhotos, missingPhotos, bytes, ms, deleted } = report;
  print(plainText(`Backup ${name} is in ${'path' in place ? place.path : labelOfFiles(place)}.`));
  print(
    `\n${rows} rows and ${photos} photos (${newPhotos} new${missingText(missingPhotos.length)}), ${sizeText(bytes)} written in ${(ms / 1000).toFixed(1)} s.\n`,
  );
  if (repairedPhotos > 0) print(`Photos that were damaged in the place, and copied again: ${repairedPhotos}.\n`);
  if (deleted.length > 0) print(`Deleted: ${deleted.join(', ')}\n`);
  if (!isFinal || missingPhotos.length > 0) return;
  const advice =
    'address' in installation.database ? 'The database refuses changes now.' : 'Do not use this data folder again.';
  print(`${advice} Restore the backup, and start the service there.\n`);
}

async function check(place: FilesPlace, { backup, identity, isJson }: BackupCall, signal: AbortSignal): Promise<void> {
  const report = await checkBackup({ place, backup, identity, signal });
  const { name, version, isRead, rows, photos, damagedPhotos } = report;
  if (isJson) print(`${JSON.stringify(report)}\n`);
  else {
    const counts = `${rows} rows and ${photos} photos`;
    print(
      isRead
        ? `Backup ${name} of Menagerie ${version} was read as a restore does: ${counts}.\n`
        : `The stored files of backup ${name} of Menagerie ${version} are undamaged: ${counts}. It is encrypted; whether it can be decrypted is checked with --identity-file.\n`,
    );
  }
  for (const digest of damagedPhotos) printError(`Photo ${digest} is missing or damaged in the place.`);
  if (damagedPhotos.length > 0) process.exitCode = FAILED;
}

async function list(place: FilesPlace, isJson: boolean): Promise<void> {
  const backups = await listPlace(place);
  if (isJson) return print(backups.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  if (backups.length === 0) return print('No backups.\n');
  print(
    tableOf(
      ['backup', 'state', 'pets', 'photos', 'written'],
      backups.map(({ name, state, pets = '', photos = '', missingPhotos = 0, isEncrypted = false, bytes }) => [
        name,
        isEncrypted ? `${state}, encrypted` : state,
        String(pets),
        `${photos}${missingText(missingPhotos)}`,
        bytes === undefined ? '' : sizeText(bytes),
      ]),
    ),
  );
}

async function readBackup(call: BackupCall, view: ProgressView, signal: AbortSignal): Promise<void> {
  const { place, backup: name, identity, installation, dataDir, isJson } = call;
  let hasBegun = false;
  const watch = {
    signal,
    onProgress: progressOf(view, isJson),
    onBegin({ from, to, isResumed }: { from: string; to: string; isResumed: boolean }) {
      hasBegun = true;
      if (!isJson) print(`${plainText(`${isResumed ? 'Resuming' : 'Restoring'} ${from} to ${to}`)}\n`);
    },
  };
  try {
    const options = { backup: name, identity, to: installation, watch };
    const report =
      'path' in place
        ? await restoreArchive({ ...options, from: place, workFolder: dataDir })
        : await restoreBackup({ ...options, from: place });
    view.end();
    printRestored(report, isJson);
  } catch (error) {
    if (hasBegun && canResume(error)) printError('Run the same command again to resume.');
    throw error;
  }
}

function printRestored({ rows, photos, isFinished }: RestoreReport, isJson: boolean): void {
  const missing = [...photos.missing, ...photos.damaged, ...photos.lost];
  if (isJson) print(`${JSON.stringify({ isFinished, rows, photos: photos.copied, missingPhotos: missing })}\n`);
  else if (isFinished)
    print(
      `${rows} rows and ${photos.copied} photos were restored and compared with the backup.${missing.length > 0 ? ` Missing photos: ${missing.length}.` : ''} Start the service on them.\n`,
    );
  for (const digest of missing) printError(`Photo ${digest} is not in the backup, or is damaged.`);
  if (!isFinished)
    printError('Backup and target differ: another program wrote to the target. Restore into an empty one.');
  if (!isFinished || missing.length > 0) process.exitCode = FAILED;
}

function missingText(count: number): string {
  return count === 0 ? '' : `, ${count} missing`;
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
