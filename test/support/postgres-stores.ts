import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { readDatabaseUrl } from '../../src/storage/postgres/engine/connection-url.ts';
import { Connections, type ConnectionSettings } from '../../src/storage/postgres/engine/connections.ts';
import { migrate } from '../../src/storage/postgres/migrations/migrations.ts';
import { statement } from '../../src/storage/postgres/engine/statements.ts';
import { createPostgresStores } from '../../src/storage/postgres/stores.ts';
import { patiently } from './postgres-server.ts';
import type { Lifetime } from './lifetime.ts';

export interface PostgresStores extends DatabaseStores {
  url: string;
  connections: Connections;
}

/** `patiently` explains the timeouts. */
const RESPONSE_TIMEOUT_MS = 60_000;

export function connectTo(url: string, settings: Partial<ConnectionSettings> = {}): Connections {
  const address = readDatabaseUrl(patiently(url));
  if (typeof address === 'string') throw new Error(`The address ${address}`);
  return new Connections({ address, size: 4, responseTimeoutMs: RESPONSE_TIMEOUT_MS, ...settings });
}

/** The stores on a migrated database. */
export async function openPostgresStoresAt(
  url: string,
  settings: Partial<ConnectionSettings> = {},
): Promise<PostgresStores> {
  const connections = connectTo(url, settings);
  try {
    await migrate(connections);
  } catch (error) {
    await connections.close();
    throw error;
  }
  const stores = createPostgresStores(connections);
  let closing: Promise<void> | undefined;
  return {
    ...stores,
    url,
    connections,
    close: () => (closing ??= stores.close()),
  };
}

/** Stores on one database for many tests, emptied for each. Each test gets an object of its own. */
export function emptiedPostgresStores(
  lifetime: Lifetime,
  open: () => Promise<PostgresStores>,
): () => Promise<PostgresStores> {
  let opening: Promise<PostgresStores> | undefined;
  lifetime.after(async () => {
    await (await opening)?.close();
  });
  return async () => {
    const stores = await (opening ??= open());
    await emptyDatabase(stores.connections);
    return { ...stores };
  };
}

const TABLES =
  `pet, pet_external_id, pet_count, pet_tag, pet_version, removed_pet, photo, stray_photo, installation, pet_photo, account, used_account_id, session, api_key,
  password_reset, counted_failures, request_lease, audit, account_change, webhook, webhook_delivery, site_record, listing, unlisted_pet, listed_pet, enquiry, enquiry_entry, idempotent_request,
  certificate, certificate_challenge, saved_search, saved_search_link, saved_search_pet,
  mail, confirmed_email, email_confirmation, totp, recovery_code, passkey, sign_in_step, provider_login, oauth_client`.split(
    /,\s+/,
  );

/**
 * One statement, so that references between the tables are checked at the end. Faster than truncating tables of few
 * rows.
 */
const emptyAll = statement(
  `with ${TABLES.map((table) => `empty_${table} as (delete from ${table})`).join(', ')} select true as is_empty`,
);
const resetOrder = statement(
  'update change_order set next_pet_id = 1, next_account_id = 1, last_version = 0, last_audit_id = 0',
);

/** The state of a newly migrated database. */
async function emptyDatabase({ transaction }: Connections): Promise<void> {
  await transaction(async (ask) => {
    await ask(emptyAll);
    await ask(resetOrder);
  });
}
