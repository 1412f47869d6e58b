import { join } from 'node:path';
import type { IndexSource } from '../../domain/search/index-source.ts';
import type { DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { DATABASE_NAME, openReader } from '../../storage/sqlite/engine/database.ts';
import { SqliteIndexSource } from '../../storage/sqlite/pets/index-source.ts';
import type { StorePlaces } from '../configuration/config.ts';

interface OpenedSource {
  source: IndexSource;
  close: () => Promise<void>;
}

/** Opens the database at the first read, and again after a failure to open it. */
export class ReopenedSource implements IndexSource {
  readonly #places: StorePlaces;
  #opened: Promise<OpenedSource> | undefined;

  constructor(places: StorePlaces) {
    this.#places = places;
  }

  async lastChange() {
    return (await this.#source()).lastChange();
  }

  async listPets(...parameters: Parameters<IndexSource['listPets']>) {
    return (await this.#source()).listPets(...parameters);
  }

  async listChanges(...parameters: Parameters<IndexSource['listChanges']>) {
    return (await this.#source()).listChanges(...parameters);
  }

  async countPets() {
    return (await this.#source()).countPets();
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }

  async #source(): Promise<IndexSource> {
    this.#opened ??= openSource(this.#places);
    try {
      return (await this.#opened).source;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}

/** The database is migrated already. Loads no other stores, which would take several megabytes in the search thread. */
async function openSource({ dataDir, database, databaseTimeoutMs }: StorePlaces): Promise<OpenedSource> {
  if (database !== undefined) return openPostgres(database, databaseTimeoutMs);
  const reader = openReader(join(dataDir, DATABASE_NAME));
  // Each page is read once, so the usual cache would be 14 MB of memory for nothing.
  reader.exec('pragma cache_size = -2048');
  return { source: new SqliteIndexSource(reader), close: async () => reader.close() };
}

/** Reads one statement after the other, on the primary: a standby may lack the latest changes. */
async function openPostgres(address: DatabaseAddress, responseTimeoutMs: number | undefined): Promise<OpenedSource> {
  const { Connections } = await import('../../storage/postgres/engine/connections.ts');
  const { PostgresIndexSource } = await import('../../storage/postgres/pets/index-source.ts');
  const connections = new Connections({ address, size: 1, responseTimeoutMs });
  return { source: new PostgresIndexSource(connections.ask), close: () => connections.close() };
}
