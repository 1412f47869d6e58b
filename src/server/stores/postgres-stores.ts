import { Failure, unusable } from '../../domain/failure.ts';
import type { DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { Connections } from '../../storage/postgres/engine/connections.ts';
import { migrate } from '../../storage/postgres/migrations/migrations.ts';
import { refuseUnfinishedRestore } from '../../storage/postgres/engine/unfinished-restore.ts';
import { probesOf } from '../../storage/postgres/engine/server-probes.ts';
import { createPostgresStores } from '../../storage/postgres/stores.ts';
import type { StorageHealth } from '../background/storage-health.ts';
import type { StorePlaces } from '../configuration/config.ts';
import type { Logger } from '../log/log.ts';
import { logMigrations } from './log-migrations.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';

const DEFAULT_CONNECTIONS = 10;

/** Short, because the primary can respond instead. */
const STANDBY_TIMEOUT_MS = 500;

/**
 * Opens the stores on PostgreSQL and migrates the database. Any number of processes may use it.
 *
 * @throws Failure `unavailable` with a message for the operator
 */
export async function openPostgresStores(
  places: StorePlaces,
  log?: Logger,
  health?: StorageHealth,
): Promise<DatabaseStores> {
  const address = places.database as DatabaseAddress;
  const size = places.databaseConnections ?? DEFAULT_CONNECTIONS;
  // A failed start is reported by its error, not by the log.
  let hasStarted = false;
  const connections = new Connections({
    address,
    size,
    responseTimeoutMs: places.databaseTimeoutMs,
    onChange: (reason) => logDatabase(reason, hasStarted ? log : undefined),
    onTrouble: (reason, isLogged) => health?.changesFail(reason, isLogged),
  });
  try {
    await refuseUnfinishedRestore(connections);
    await migrate(connections, log === undefined ? undefined : logMigrations(log));
    await connections.leaveOne();
  } catch (error) {
    await connections.close();
    throw explainUnreachable(error, address);
  }
  hasStarted = true;
  if (places.standby === undefined) return createPostgresStores(connections);
  const standbys = new Connections({
    address: places.standby,
    size: Math.ceil(size / 2),
    readsOnly: true,
    responseTimeoutMs: STANDBY_TIMEOUT_MS,
    onChange: (reason) => logStandbys(reason, log),
  });
  const all = probesOf([address, places.standby]);
  return createPostgresStores(connections, standbys, () => all.read());
}

function logDatabase(reason: string | undefined, log: Logger | undefined): void {
  if (reason === undefined) log?.info('database reachable again');
  else log?.error({ reason }, 'database unreachable; requests that need it get 503');
}

function logStandbys(reason: string | undefined, log: Logger | undefined): void {
  if (reason === undefined) log?.info('standbys reachable again');
  else log?.warn({ reason }, 'standbys unreachable; reading from the primary');
}

/**
 * Errors of the network by their code, and of the driver by their message. The messages of PostgreSQL itself are
 * sentences.
 */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/\bECONNREFUSED\b/, 'no server accepts connections there'],
  [/\bENOTFOUND\b/, 'its host is unknown'],
  [/\bEAI_AGAIN\b/, 'its host cannot be looked up at the moment'],
  [/\bE(?:HOSTUNREACH|NETUNREACH|TIMEDOUT)\b/, 'its host cannot be reached'],
  [/\bECONNRESET\b/, 'the server closes connections'],
  [/\bENOENT\b/, 'its socket does not exist'],
  [/\bEACCES\b/, 'this user may not use its socket'],
  [/^timeout expired/, 'the server does not respond in time'],
  [/client password must be a/, 'the server requires a password, and the URL has none'],
  [/before secure TLS connection/, 'the server does not answer with TLS'],
  [/does not support SSL/, 'the server does not support TLS'],
];

function reasonOf({ message }: Error): string {
  return REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}

/** Adds the reason, and leaves out the URL, which contains the password. */
export function explainUnreachable(
  error: unknown,
  { label }: DatabaseAddress,
  setting = '--database-url (MENAGERIE_DATABASE_URL)',
): unknown {
  if (!(error instanceof Failure) || !(error.cause instanceof Error)) return error;
  return unusable(
    `The database ${label} cannot be used (${reasonOf(error.cause)}). Check that it is running and that ${setting} is correct.`,
  );
}
