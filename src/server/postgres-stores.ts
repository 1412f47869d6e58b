import { Failure } from '../domain/failure.ts';
import type { DatabaseAddress } from '../storage/postgres/engine/connection-url.ts';
import { openConnections } from '../storage/postgres/engine/connections.ts';
import { migrate } from '../storage/postgres/engine/migrations.ts';
import { refuseUnfinishedMove } from '../storage/postgres/engine/unfinished-move.ts';
import { createPostgresStores } from '../storage/postgres/stores.ts';
import type { StorageHealth } from './background/storage-health.ts';
import type { StorePlaces } from './config.ts';
import type { Logger } from './log.ts';
import type { DatabaseStores } from '../domain/stores.ts';

const DEFAULT_CONNECTIONS = 10;

/** The primary has the answer too: whoever waits for a standby does not wait for long. */
const STANDBY_TIMEOUT_MS = 500;

/**
 * The stores on PostgreSQL, brought up to date. Any number of processes may have them open.
 *
 * @throws Failure `unavailable` with a sentence that says what stands in the way
 */
export async function openPostgresStores(
  places: StorePlaces,
  log?: Logger,
  health?: StorageHealth,
): Promise<DatabaseStores> {
  const address = places.database as DatabaseAddress;
  const size = places.databaseConnections ?? DEFAULT_CONNECTIONS;
  // A start that fails says so by itself.
  let hasStarted = false;
  const connections = openConnections({
    address,
    size,
    answerTimeoutMs: places.databaseTimeoutMs,
    onChange: (reason) => tell(reason, hasStarted ? log : undefined),
    onTrouble: (reason, isLogged) => health?.changesFail(reason, isLogged),
  });
  try {
    await refuseUnfinishedMove(connections);
    await migrate(connections);
  } catch (error) {
    await connections.close();
    throw explain(error, address);
  }
  hasStarted = true;
  const standbys =
    places.standby &&
    openConnections({
      address: places.standby,
      size: Math.ceil(size / 2),
      readsOnly: true,
      answerTimeoutMs: STANDBY_TIMEOUT_MS,
      onChange: (reason) => tellOfStandbys(reason, log),
    });
  return createPostgresStores(connections, standbys);
}

function tell(reason: string | undefined, log: Logger | undefined): void {
  if (reason === undefined) log?.info('the database is there again');
  else log?.error({ reason }, 'the database is out of reach; requests that need it get 503 until it is there again');
}

function tellOfStandbys(reason: string | undefined, log: Logger | undefined): void {
  if (reason === undefined) log?.info('the standbys are there again');
  else log?.warn({ reason }, 'the standbys are out of reach; what they would answer is asked of the primary');
}

/** What the server or the way to it says at the start, as one sentence; without the URL, which has the password in it. */
function explain(error: unknown, { told }: DatabaseAddress): unknown {
  if (!(error instanceof Failure) || !(error.cause instanceof Error)) return error;
  return new Failure(
    'unavailable',
    `The database ${told} cannot be used (${error.cause.message}). See that it runs, and that --database-url (MENAGERIE_DATABASE_URL) is right.`,
  );
}
