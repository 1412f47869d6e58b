import { isAbsolute } from 'node:path';
import { Failure, invalidInput } from '../../domain/failure.ts';
import { isCountry } from '../../domain/organisation/country.ts';
import { organisationIn } from '../../domain/organisation/organisation.ts';
import type { SetupChoices, SetupSettings } from '../../domain/setup/setup.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import { openBackupFiles } from '../backup/backup-files.ts';
import { isLoopback, type Config } from '../configuration/config.ts';
import { updateConfigFile } from '../configuration/config-file.ts';
import type { Logger } from '../log/log.ts';
import type { SettingName } from '../configuration/settings.ts';

const PROBE_FILE = 'menagerie-probe';

type Changes = Readonly<Partial<Record<SettingName, string>>>;

/** Samples can be added to a new database only, and a country to an organisation without one. */
export async function choicesOf(
  config: Config,
  { pets, siteRecords }: Pick<DatabaseStores, 'pets' | 'siteRecords'>,
): Promise<SetupChoices> {
  const { country } = organisationIn(await siteRecords.find('organisation'));
  const isFree = (name: SettingName) => {
    const { source = 'default' } = config.settings.find((setting) => setting.name === name) ?? {};
    return source === 'default' || source === 'config-file';
  };
  const modes = isLoopback(config.host) ? (['secured', 'open', 'sandbox'] as const) : (['secured', 'sandbox'] as const);
  return {
    access: isFree('access') && fileOf(config) !== undefined ? modes : ['secured'],
    samples: !config.empty && (await pets.isUnused()),
    backupTo: isFree('backup-to'),
    country: country === undefined,
    mail: config.mail !== undefined,
  };
}

/** The nodes on PostgreSQL have a config file each, so the operator changes all of them. */
function fileOf({ database, configFile }: Config): string | undefined {
  return database === undefined ? configFile : undefined;
}

/** @throws Failure `invalid-input` for a choice that is set elsewhere, or a folder that cannot be written */
export async function checkSettings(settings: SetupSettings, choices: SetupChoices): Promise<void> {
  const { access, samples, backupTo, country } = settings;
  if (access !== undefined && !choices.access.includes(access))
    throw invalidInput([{ path: '/access', message: 'cannot be chosen here; set --access' }]);
  if (samples !== undefined && !choices.samples)
    throw invalidInput([{ path: '/samples', message: 'cannot be chosen here; set --empty' }]);
  if (country !== undefined && !choices.country)
    throw invalidInput([{ path: '/country', message: 'cannot be chosen here; the organisation has one' }]);
  if (country !== undefined && !isCountry(country))
    throw invalidInput([{ path: '/country', message: 'must be the code of a country, such as DE' }]);
  if (backupTo === undefined) return;
  if (!choices.backupTo) throw invalidInput([{ path: '/backupTo', message: 'cannot be chosen here; set --backup-to' }]);
  if (!isAbsolute(backupTo) || backupTo.includes('\0'))
    throw invalidInput([{ path: '/backupTo', message: 'must be an absolute path' }]);
  await requireWritable(backupTo);
}

async function requireWritable(folder: string): Promise<void> {
  try {
    const files = await openBackupFiles({ folder }, true);
    await files?.write(PROBE_FILE, new Uint8Array(1));
    await files?.delete(PROBE_FILE);
    files?.close();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw invalidInput([{ path: '/backupTo', message: 'must be a folder that the service can create or write to' }]);
  }
}

/** Writes the settings into the config file. @returns those that were not written */
export async function storeSettings(settings: SetupSettings, config: Config, log: Logger): Promise<Changes> {
  const changes = changesOf(settings, config);
  const path = fileOf(config);
  if (path === undefined || Object.keys(changes).length === 0) return changes;
  try {
    await updateConfigFile(path, changes);
    return {};
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    log.warn({ reason: error.message }, 'the choices of the setup page were not stored');
    return changes;
  }
}

function changesOf({ access, backupTo }: SetupSettings, { http }: Config): Changes {
  return {
    ...(access !== undefined && access !== http.access && { access }),
    ...(backupTo !== undefined && { 'backup-to': backupTo }),
  };
}
