import type { MailActivity, QueueActivity } from '../../domain/activity.ts';
import type { BackupHealth } from '../../domain/backups.ts';
import type { HttpActivity } from '../../http/pipeline/http-activity.ts';
import type { Composition } from './composition.ts';
import type { Https } from '../https/https.ts';
import type { Stores } from '../stores/stores.ts';
import { metricsOfFeatures } from '../features/features.ts';
import type { ActivityGauges } from '../metrics/activity-minutes.ts';
import { VERSION } from '../system/version.ts';
import { processFamilies } from '../metrics/exposition.ts';
import { counter, gauge, histogram, type Family } from '../metrics/families.ts';
import { serverFamilies } from '../metrics/server-families.ts';

interface ProcessMetricsDeps {
  stores: Stores;
  composition: Composition;
  http: HttpActivity;
  /** Undefined if this process has none. */
  playgrounds?: PlaygroundActivity | undefined;
  /** Undefined unless the service terminates TLS itself. */
  https: () => Pick<Https, 'readCertificate'> | undefined;
  /** Whether only administrators may read the metrics. Otherwise they contain no names. */
  arePrivate: boolean;
}

export interface PlaygroundActivity {
  activity(): { awake: number; asleep: number; created: number; bytes: number };
}

/** Reads the metrics of this process. docs/guides/monitoring.md lists them. */
export class ProcessMetrics {
  readonly #deps: ProcessMetricsDeps;

  constructor(deps: ProcessMetricsDeps) {
    this.#deps = deps;
  }

  async collect(): Promise<readonly Family[]> {
    const { stores, composition, http, https, playgrounds, arePrivate } = this.#deps;
    const { accounts, imaging, mail, backups } = composition;
    return [
      ...requestFamilies(http),
      ...databaseFamilies(stores),
      ...(playgrounds === undefined ? [] : playgroundFamilies(playgrounds)),
      ...queueFamilies('photo', 'Photo processing', imaging.activity()),
      gauge(
        'menagerie_unsound_photos',
        'Photos that this process found missing or damaged when they were requested.',
        stores.countUnsoundPhotos?.() ?? 0,
      ),
      ...queueFamilies('password_hash', 'Password hashing', accounts.passwords.activity()),
      counter('menagerie_backup_failures_total', 'Failed backups.', backups?.failures ?? 0),
      ...serverFamilies((await stores.databaseServers?.()) ?? [], arePrivate),
      gauge('menagerie_info', 'Always 1. The version of Menagerie.', [[{ version: VERSION }, 1]]),
      gauge('menagerie_healthy', '1 while changes can be stored and all files are intact.', Number(stores.isHealthy())),
      counter('menagerie_lost_changes_total', 'Changes that PostgreSQL has lost.', composition.lostChanges.count),
      ...(await searchFamilies(stores, http.waitingSearches())),
      ...(backups === undefined ? [] : backupFamilies(backups.health)),
      ...(!mail.bell.isOn ? [] : [...(await mailFamilies(stores)), ...sentMailFamilies(mail.activity)]),
      ...(await certificateFamilies(https)),
      ...(await metricsOfFeatures(stores, composition)),
      ...(await processFamilies()),
    ];
  }
}

/** Those of the charts of a day, which also work without a program that reads metrics. */
export function gaugesOf(stores: Stores, { imaging, accounts }: Composition, http: HttpActivity): ActivityGauges {
  return {
    memoryBytes: process.memoryUsage.rss(),
    waitingChanges: stores.activity().writer.waiting,
    waitingPhotos: imaging.activity().waiting,
    waitingPasswords: accounts.passwords.activity().waiting,
    waitingSearches: (stores.searchActivity?.().waiting ?? 0) + http.waitingSearches(),
  };
}

function requestFamilies(http: HttpActivity): readonly Family[] {
  const requests = http.requests();
  const counts = requests.flatMap(({ operation, statuses }) =>
    statuses.map(([status, count]) => [{ operation, status }, count] as const),
  );
  return [
    counter('menagerie_http_requests_total', 'Responses by operation and status.', counts),
    histogram(
      'menagerie_http_request_duration_seconds',
      'Time from the request headers to the end of the response.',
      requests.map(({ operation, durations }) => [{ operation }, durations]),
    ),
    counter(
      'menagerie_mcp_tool_calls_total',
      'Calls of tools by agents; outcome: ok, the code of a failure, or error.',
      http.toolCalls().map(({ tool, outcome, count }) => [{ tool, outcome }, count] as const),
    ),
    gauge('menagerie_event_streams', 'Open event streams.', http.openStreams),
    counter('menagerie_events_sent_total', 'Events sent to event streams.', http.sentEvents),
  ];
}

function databaseFamilies(stores: Stores): readonly Family[] {
  const { writer, logBytes, pool } = stores.activity();
  const { waiting, batchSizes, durations } = writer;
  const families: Family[] = [
    gauge('menagerie_writer_waiting', 'Changes that wait for a transaction.', waiting),
    histogram('menagerie_writer_batch_size', 'Changes of each transaction.', [[{}, batchSizes]]),
    histogram('menagerie_commit_duration_seconds', 'Duration of transactions that change data.', [[{}, durations]]),
  ];
  if (logBytes !== undefined)
    families.push(gauge('menagerie_wal_size_bytes', 'Size of the write-ahead log of SQLite.', logBytes));
  if (pool !== undefined) {
    const { open, idle, waiting } = pool;
    const states = [
      [{ state: 'used' }, open - idle],
      [{ state: 'idle' }, idle],
    ] as const;
    families.push(
      gauge('menagerie_postgres_connections', 'Connections to PostgreSQL.', states),
      gauge('menagerie_postgres_waiting', 'Calls that wait for a connection to PostgreSQL.', waiting),
    );
  }
  return families;
}

function queueFamilies(name: string, title: string, { waiting, running, durations }: QueueActivity): readonly Family[] {
  const ofTasks = [...durations].map(([task, each]) => [{ task }, each] as const);
  return [
    gauge(`menagerie_${name}_waiting`, `${title}: tasks in the queue.`, waiting),
    gauge(`menagerie_${name}_running`, `${title}: tasks in progress.`, running),
    histogram(`menagerie_${name}_duration_seconds`, `${title}: duration without the wait.`, ofTasks),
  ];
}

function playgroundFamilies(playgrounds: PlaygroundActivity): readonly Family[] {
  const { awake, asleep, created, bytes } = playgrounds.activity();
  const states = Object.entries({ awake, asleep }).map(([state, count]) => [{ state }, count] as const);
  return [
    gauge('menagerie_playgrounds', 'Playgrounds; asleep: compressed until the next request.', states),
    counter('menagerie_playgrounds_created_total', 'Playgrounds that were created.', created),
    gauge('menagerie_playground_memory_bytes', 'Memory of the playgrounds, about.', bytes),
  ];
}

/** @param waitingForTurn the number of searches that have not begun */
async function searchFamilies({ search, searchActivity }: Stores, waitingForTurn: number): Promise<readonly Family[]> {
  const state = await search.state();
  const families = [
    gauge('menagerie_search_ready', '1 while the search index is loaded and current.', Number(state.state === 'ready')),
  ];
  if (state.state === 'ready')
    families.push(gauge('menagerie_search_load_seconds', 'Duration of the last load of the index.', state.ms / 1000));
  if (searchActivity === undefined) return families;
  const { waiting, durations } = searchActivity();
  return [
    ...families,
    gauge('menagerie_search_waiting', 'Searches without a result yet.', waiting + waitingForTurn),
    histogram('menagerie_search_duration_seconds', 'Duration of searches, with the wait.', [[{}, durations]]),
  ];
}

/** Every node reports the same queue. While the database is unavailable, it is unknown. */
async function mailFamilies({ mail }: Stores): Promise<readonly Family[]> {
  const state = await mail.readState().catch(() => undefined);
  if (state === undefined) return [];
  return [
    gauge('menagerie_mail_waiting', 'Messages that wait to be sent.', state.waiting),
    gauge('menagerie_mail_oldest_seconds', 'The age of the oldest of them; 0 without one.', ageOf(state.oldestAtMs)),
    gauge('menagerie_mail_unknown', 'Those of them whose kind only a later version knows.', state.unknown),
    gauge('menagerie_mail_dead', 'Messages that could not be sent, of the last days.', state.dead),
  ];
}

function sentMailFamilies({ sent, failed, dead, dropped, durations }: MailActivity): readonly Family[] {
  const outcomes = Object.entries({ sent, failed, dead, dropped }).map(
    ([outcome, count]) => [{ outcome }, count] as const,
  );
  return [
    counter(
      'menagerie_mail_messages_total',
      'Attempts; dead: not tried again; dropped: no recipient any more.',
      outcomes,
    ),
    histogram('menagerie_mail_duration_seconds', 'Duration of attempts.', [[{}, durations]]),
  ];
}

/** Every node reports the same. While the database is unavailable, they are unknown. */
async function certificateFamilies(https: ProcessMetricsDeps['https']): Promise<readonly Family[]> {
  const state = await https()
    ?.readCertificate()
    .catch(() => undefined);
  if (state === undefined) return [];
  const endsAtMs = state.certificate?.notAfterMs ?? 0;
  return [
    // 0 without a certificate, so that an alert fires.
    gauge('menagerie_certificate_expiry_timestamp_seconds', 'End of the HTTPS certificate.', endsAtMs / 1000),
    gauge('menagerie_certificate_failed_attempts', 'Failed attempts since the last one.', state.attempts),
  ];
}

function ageOf(sinceMs: number | undefined): number {
  return sinceMs === undefined ? 0 : Math.max(0, Date.now() - sinceMs) / 1000;
}

function backupFamilies({ state, finishedAtMs, durationMs = 0, bytes = 0 }: BackupHealth): readonly Family[] {
  if (state === 'unknown') return [];
  const running = gauge('menagerie_backup_running', '1 while a backup is in progress.', Number(state === 'running'));
  const failed = gauge(
    'menagerie_backup_failed',
    '1 if the newest backup failed or was interrupted.',
    Number(state === 'failed' || state === 'interrupted'),
  );
  return [
    running,
    failed,
    // 0 without a finished backup, so that an alert on its age fires.
    gauge('menagerie_backup_last_success_timestamp_seconds', 'End of the last backup.', (finishedAtMs ?? 0) / 1000),
    gauge('menagerie_backup_last_duration_seconds', 'Duration of the last backup.', durationMs / 1000),
    gauge('menagerie_backup_last_size_bytes', 'Size of the last backup, compressed.', bytes),
  ];
}
