import { RefusalLog } from '../../domain/accounts/audit-log.ts';
import type { MailBell } from '../../domain/mail/mail-bell.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Argon2Hasher } from '../../services/crypto/passwords.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import type { Config, LiveSettings } from '../configuration/config.ts';
import type { Logger } from '../log/log.ts';
import { createAccounts } from './accounts.ts';

interface ServiceAccounts {
  /** Maximum number of tasks that use the processors concurrently. */
  concurrency: number;
  /** By default, one is created. */
  passwords: Argon2Hasher | undefined;
  bell: MailBell;
  live: LiveSettings;
}

/** Composes the use cases of accounts for a service, which records refused requests. */
export function composeAccounts(
  stores: DatabaseStores,
  config: Config,
  log: Logger,
  clock: Clock,
  { concurrency, passwords, bell, live }: ServiceAccounts,
) {
  const refusals = new RefusalLog({ ...stores, clock });
  const settings = {
    ...config,
    mode: config.http.access,
    publicUrl: config.http.publicUrl,
    hashingConcurrency: Math.ceil(concurrency / 2),
    passwords,
    bell,
    isLocalMailServer: () => live.mail?.smtp.isLocal ?? true,
    onRefused: (...refusal: Parameters<RefusalLog['write']>) => {
      refusals
        .write(...refusal)
        .catch((error: unknown) => log.error({ err: error }, 'writing a refusal to the audit log failed'));
    },
  };
  return createAccounts(stores, settings, clock);
}
