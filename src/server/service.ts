import type { Logger } from 'pino';
import { Failure } from '../domain/failure.ts';
import type { PhotoFiles } from '../domain/photos/photo-files.ts';
import type { Clock } from '../domain/ports.ts';
import type { Tracing } from '../domain/tracing.ts';
import { Clearing } from './process/clearing.ts';
import { backUpBeforeMigration } from './backup/before-migration.ts';
import { compose, type Composition } from './process/composition.ts';
import { loadImaging, startTracing } from './process/lazy-libraries.ts';
import { MAIL_TIMEOUT_MS, type Config, type StorePlaces } from './configuration/config.ts';
import { listenForMetrics, type MetricsListener } from './metrics/metrics-listener.ts';
import { operatorCommand } from './log/explain-failure.ts';
import { fillWithSamples, type Samples } from './stores/sample-catalogue.ts';
import { readSynonymsFile } from './search/synonyms-file.ts';
import { reasonForNoPlaygrounds, startServer, type Server } from './process/server.ts';
import { logMigrations } from './stores/log-migrations.ts';
import type { ServerStores, Stores } from './stores/stores.ts';
import { openStores } from './stores/open-stores.ts';
import { clearingOfFeatures, closeFeatures, startFeatures } from './features/features.ts';
import { watchForLostChanges } from './background/lost-changes.ts';
import { sendQueuedMail } from './background/mail-sending.ts';
import { NodeSettings } from './settings/node-settings.ts';
import { Playgrounds } from './playgrounds/playgrounds.ts';
import { ProcessRecords } from './system/process-records.ts';
import { watchLog } from './log/watched-log.ts';
import { toDatabaseFailure } from './system/system-errors.ts';

export interface Service {
  /** For instance `http://127.0.0.1:8080`. */
  origin: string;
  /** The samples that were added to a new database. */
  samples: Samples | undefined;
  /** Resolves when the service must be stopped and started again, because other data has been restored. */
  restartRequested: Promise<void>;
  /**
   * Stops accepting requests, waits for pending ones, and closes the stores.
   *
   * @param drainMs how long to serve before that, while `/readyz` fails; 0 by default
   */
  stop(drainMs?: number): Promise<void>;
  /** Deletes unused photos now; the service also does so every hour. */
  photoFiles: Pick<PhotoFiles, 'clearUnused'>;
}

/**
 * Opens the data, listens and adds the samples to a new database. The service is then ready.
 *
 * @throws Failure `unavailable` if the data or the address cannot be used, `invalid-input` if the list of synonyms is
 *   invalid
 */
export async function startService(config: Config, plainLog: Logger, clock: Clock = Date.now): Promise<Service> {
  const records = new ProcessRecords(clock);
  const log = watchLog(plainLog, (entry) => records.addEntry(entry));
  await backUpBeforeMigration(config, logMigrations(log));
  const stores = await openStores(config, log, readSynonymsFile(config.synonymsFile));
  let server: Server | undefined;
  let metricsListener: MetricsListener | undefined;
  let tracing: Tracing | undefined;
  try {
    if (config.http.access === 'secured') await requireAdministrator(stores, config);
    await loadImaging();
    tracing = await startTracing(config, log);
    const live = await NodeSettings.open({ config, ...stores, log });
    const restarting = Promise.withResolvers<void>();
    const restart = () => restarting.resolve();
    const composition = compose(stores, config, log, clock, { records, tracing, live, restart });
    const playgrounds = playgroundsOf(config, composition, log, clock);
    const running = (server = await startServer({
      stores,
      composition,
      config,
      log,
      clock,
      records,
      ...(playgrounds && { playgrounds }),
    }));
    if (config.metricsListen !== undefined)
      metricsListener = await listenForMetrics(config.metricsListen, (accept) => running.readMetrics(accept), log);
    await stores.writer?.started.catch((error: unknown) => {
      throw toDatabaseFailure(error, config.dataDir);
    });
    await stores.addresses.apply({ kind: 'renew-keys' });
    // After listening: a start that fails must not leave samples behind for the next one, which may use --empty.
    const samples = config.empty ? undefined : await fillWithSamples({ clock, ...stores }, config.hasChosenSamples);
    running.markFilled();
    const background = startBackgroundWork({ config, stores, composition, live, clock, log, records });
    return {
      origin: running.origin,
      restartRequested: restarting.promise,
      samples,
      photoFiles: composition.photoFiles,
      async stop(drainMs = 0) {
        if (drainMs > 0) log.info({ seconds: drainMs / 1000 }, 'draining: still serving, but not ready');
        // Background work ends together with the pending requests.
        const hasEnded = background.stop();
        await running.stop(drainMs);
        await metricsListener?.stop();
        await hasEnded;
        closeFeatures(composition);
        await tracing?.stop();
        await stores.close();
      },
    };
  } catch (error) {
    await Promise.all([server?.stop(), metricsListener?.stop(), tracing?.stop()]);
    await stores.close();
    throw error;
  }
}

interface Parts {
  config: Config;
  stores: ServerStores;
  composition: Composition;
  live: NodeSettings;
  clock: Clock;
  log: Logger;
  records: ProcessRecords;
}

/** Undefined for a service that cannot have playgrounds. */
export function playgroundsOf(
  config: Config,
  composition: Composition,
  log: Logger,
  clock: Clock,
): Playgrounds | undefined {
  if (reasonForNoPlaygrounds(config) !== undefined) return undefined;
  const { accounts, imaging } = composition;
  const shared = { passwords: accounts.passwords, imaging };
  const synonyms = readSynonymsFile(config.synonymsFile);
  return new Playgrounds({ config, shared, useCasesOfService: composition, synonyms, clock, log });
}

function startBackgroundWork({ config, stores, composition, live, clock, log, records }: Parts) {
  const unwatchSettings = live.watch();
  const { backups, restores, photoFiles, idempotency, accounts } = composition;
  const unwatch = config.database && watchForLostChanges(composition, log);
  const { mail, readSite } = composition;
  const siteUrl = config.http.publicUrl ?? '';
  const timeoutMs = config.mail?.timeoutMs ?? MAIL_TIMEOUT_MS;
  const stopMail = sendQueuedMail({ ...mail, siteUrl, timeoutMs, stores, readSite, clock, log, records });
  const synonyms = readSynonymsFile(config.synonymsFile);
  const node = { stores, synonyms, settings: config.features, publicUrl: config.http.publicUrl, clock, log, records };
  const ofFeatures = startFeatures({ ...node, bell: mail.bell }, composition);
  // Not awaited: a place on a network may hang, and the service works without it.
  void backups?.probe();
  backups?.startDaily();
  const clearing = new Clearing({
    ...stores,
    ...accounts,
    photoFiles,
    idempotency,
    ofFeatures: clearingOfFeatures(stores, clock),
    accountChangesKeptMs: config.auditRetentionMs,
    clock,
    log,
    records,
  });
  return {
    async stop(): Promise<void> {
      unwatch?.();
      const ofOthers = [stopMail(), ofFeatures.stop(), backups?.stop(), restores?.stop()];
      await Promise.all([unwatchSettings(), clearing.stop(), ...ofOthers]);
    },
  };
}

/** Where the data is, for messages. Contains no secrets. */
export function placeOf({ isEphemeral, dataDir, database, bucket }: StorePlaces): string {
  if (isEphemeral) return 'memory (lost when the service stops)';
  const photos = bucket === undefined ? '' : `, photos in s3://${bucket.bucket}/${bucket.prefix}`;
  return `${database === undefined ? dataDir : `PostgreSQL at ${database.label}`}${photos}`;
}

/** Secured access without an administrator who can log in. */
export class NoAdministrator extends Failure {}

async function requireAdministrator({ users }: Stores, config: Config): Promise<void> {
  if (await users.hasAdministrator()) return;
  throw new NoAdministrator(
    'conflict',
    `secured access needs an administrator who can log in. Create one with: ${operatorCommand('user create USERNAME --role admin', config)}`,
  );
}
