import { setTimeout as delay } from 'node:timers/promises';
import { MailActivity } from '../../domain/activity.ts';
import { mayEveryone } from '../../domain/access.ts';
import { BackupAdministration } from '../../domain/backups.ts';
import { RestoreAdministration } from '../../domain/restores.ts';
import { ChangeHub } from '../../domain/events/change-hub.ts';
import { ChangeStream } from '../../domain/events/change-stream.ts';
import { DEFAULT_NAME } from '../../api/web/site.ts';
import { MailAdministration } from '../../domain/mail/mail-administration.ts';
import { MailBell } from '../../domain/mail/mail-bell.ts';
import { SiteRecords } from '../../domain/organisation/site-records.ts';
import { SettingsAdministration } from '../../domain/settings/settings-administration.ts';
import { PetSearch } from '../../domain/search/pet-search.ts';
import { PlaygroundAdministration, type PlaygroundHost } from '../../domain/playgrounds/playground-administration.ts';
import { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import { PetExport } from '../../domain/exports/pet-export.ts';
import { PetPhotos } from '../../domain/pets/pet-photos.ts';
import { PetProfiles } from '../../domain/pets/pet-profiles.ts';
import { PetHistory } from '../../domain/pets/pet-history.ts';
import { PhotoFiles } from '../../domain/photos/photo-files.ts';
import { keySecrets, signer, tokens } from '../../services/crypto/secrets.ts';
import type { Tracing } from '../../domain/tracing.ts';
import { Idempotency } from '../../domain/idempotency/idempotency.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Argon2Hasher } from '../../services/crypto/passwords.ts';
import { PhotoFetcher } from '../../services/photo-sources/photo-fetcher.ts';
import { composeAccounts } from './service-accounts.ts';
import { lazyImaging, liveMailer, markdownToHtml, type MeasuredImaging } from './lazy-libraries.ts';
import { SystemAdministration } from '../../domain/system.ts';
import { HealthAdministration } from '../../domain/health/health-administration.ts';
import type { FeaturePlayground } from '../features/feature.ts';
import { composeFeatures, type FeatureUseCases } from '../features/features.ts';
import { BackgroundDoctor } from '../health/background-doctor.ts';
import { Backups } from '../backup/backups.ts';
import { Restores } from '../backup/restores.ts';
import { backgroundConcurrency } from '../system/background-threads.ts';
import type { Config, LiveSettings } from '../configuration/config.ts';
import { NodeMonitor } from '../system/node-monitor.ts';
import { ProcessRecords } from '../system/process-records.ts';
import type { NodeSettings } from '../settings/node-settings.ts';
import { placesOf } from '../configuration/places.ts';
import { logTrouble, type Logger } from '../log/log.ts';
import type { Stores } from '../stores/stores.ts';

const MAX_WAITING_PHOTOS = 64;

export type Composition = ReturnType<typeof compose>;

interface CompositionOptions {
  records?: ProcessRecords;
  tracing?: Tracing | undefined;
  /** What several services of a process share: its work waits in one queue. By default, everything is created. */
  shared?: Partial<SharedParts>;
  playground?: FeaturePlayground<FeatureUseCases>;
  /** Ends the service, and starts it again. */
  restart?: () => void;
  /** By default, those of `config`, which nobody can change. */
  live?: NodeSettings;
}

/** The parts that do the expensive work of a process. */
export interface SharedParts {
  passwords: Argon2Hasher;
  imaging: MeasuredImaging;
}

/** Composes all use cases on top of the stores. */
export function compose(
  stores: Stores,
  config: Config,
  log: Logger,
  clock: Clock,
  {
    records = new ProcessRecords(clock),
    tracing,
    shared,
    playground,
    restart = () => {},
    live: node,
  }: CompositionOptions = {},
) {
  const live: LiveSettings = node ?? config;
  const concurrency = backgroundConcurrency(config.threadPoolSize);
  const bell = new MailBell(() => live.mail !== undefined);
  const accounts = composeAccounts(stores, config, log, clock, {
    concurrency,
    passwords: shared?.passwords,
    bell,
    live,
  });
  const { access, may, writeLimits, mailLimits } = accounts;
  const imaging =
    shared?.imaging ??
    lazyImaging({ maxPixels: config.http.maxPhotoPixels, concurrency, maxWaiting: MAX_WAITING_PHOTOS });
  const hub = createHub(stores, log);
  const niceness = config.backgroundNiceness;
  const { backup: settings, backupRecipients: recipients } = config;
  const restores = settings && new Restores({ config, place: settings.to, log, restart });
  const backups =
    settings && new Backups({ from: placesOf(config), settings, recipients, niceness, restores, log, clock });
  const health = new BackgroundDoctor({ places: config, log, niceness, sendsMail: () => bell.isOn });
  const monitor = new NodeMonitor({
    isPlayground: playground !== undefined,
    settings: config.settings,
    records,
    health,
    backups,
  });
  const deps = { ...stores, access, may, mailLimits, imaging, signer, tokens, clock };
  const mail = {
    mailer: liveMailer(() => live.mail),
    activity: new MailActivity(),
    bell,
    may,
    reaches: (email: string) => mailLimits.reaches(email),
    mayEveryoneRename: mayEveryone(may, 'use account'),
  };
  const profiles = new PetProfiles(deps);
  const petSearch = new PetSearch({ ...deps, profiles });
  const siteRecords = new SiteRecords(deps);
  const readSite = async () => {
    const { name: siteName = DEFAULT_NAME, country } = (await siteRecords.getOrganisation()).organisation;
    return { siteName, country };
  };
  return {
    accounts,
    imaging,
    mail,
    tracing,
    hub,
    lostChanges: { count: 0 },
    catalogue: new PetCatalogue({ ...deps, profiles }),
    petPhotos: new PetPhotos(deps),
    photoAddresses: new PhotoFetcher({ ...config.photoAddresses, maxBytes: config.http.maxPhotoBytes }),
    petExport: new PetExport({ ...deps, profiles, siteRecords }),
    petSearch,
    ...composeFeatures({ ...deps, petSearch, bell, tracing, settings: config.features }, playground),
    history: new PetHistory(deps),
    profiles,
    photoFiles: new PhotoFiles({ ...deps, graceMs: config.photoGraceMs }),
    siteRecords,
    mailAdministration: new MailAdministration({
      ...deps,
      ...mail,
      mail: stores.mail,
      readSite,
      siteUrl: config.http.publicUrl ?? '',
    }),
    settingsAdministration: new SettingsAdministration({
      ...deps,
      ...accounts,
      settingsHost: reasonForFixedSettings(config) ?? node ?? 'This service keeps no settings.',
      publicUrl: config.http.publicUrl,
    }),
    playgroundsOf: (playgroundHost: PlaygroundHost | string) =>
      new PlaygroundAdministration({ ...deps, playgroundHost }),
    readSite,
    markdownToHtml,
    changes: new ChangeStream({ access, may, hub }),
    backups,
    backupAdministration: new BackupAdministration({ ...deps, ...accounts, backups }),
    restores,
    restoreAdministration: new RestoreAdministration({ ...deps, ...accounts, restores }),
    health: new HealthAdministration({ ...deps, monitor: health }),
    system: new SystemAdministration({ access, monitor }),
    idempotency: new Idempotency({ ...deps, writeLimits, secrets: keySecrets }),
  };
}

/** Why administrators cannot change settings; undefined if they can. */
function reasonForFixedSettings({ http }: Config): string | undefined {
  if (http.access !== 'sandbox') return undefined;
  return 'In sandbox access, everyone could change settings: only the operator can, with flags.';
}

function createHub({ changeFeed: feed }: Stores, log: Logger): ChangeHub {
  return new ChangeHub({
    feed,
    pause: (ms) => delay(ms, undefined, { ref: false }),
    onTrouble: logTrouble(log, 'reading changes failed; retrying'),
  });
}
