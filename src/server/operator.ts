import { userInfo } from 'node:os';
import type { Actor } from '../domain/access.ts';
import type { Administration } from '../domain/accounts/administration.ts';
import type { FactorAdministration } from '../domain/sign-in/factor-administration.ts';
import type { AuditLog } from '../domain/accounts/audit-log.ts';
import { backUpBeforeMigration } from './backup/before-migration.ts';
import { createAccounts } from './process/accounts.ts';
import type { Config } from './configuration/config.ts';
import { adoptPhotos, openStoresBesideServer } from './stores/open-stores.ts';

/** The use cases of the command line. They work on the database itself, whether or not a server is running. */
export interface OperatorDesk {
  operator: Actor;
  administration: Administration;
  auditLog: AuditLog;
  factorAdministration: FactorAdministration;
  /** Assigns the stored photos to this database. @throws Failure `unavailable` */
  adoptPhotos(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param isNew whether to create the database if there is none
 * @throws Failure `unavailable`, `not-found`
 */
export async function openOperatorDesk(config: Config, isNew: boolean): Promise<OperatorDesk> {
  await backUpBeforeMigration(config);
  const stores = await openStoresBesideServer(config, isNew);
  // Always with the rules of secured access, for which users with a role are created.
  const { administration, auditLog, factorAdministration } = createAccounts(
    stores,
    { ...config, mode: 'secured', hashingConcurrency: 1 },
    Date.now,
  );
  const operator = { kind: 'operator', name: systemUser() } as const;
  return {
    operator,
    administration,
    auditLog,
    factorAdministration,
    adoptPhotos: () => adoptPhotos(config, stores),
    close: () => stores.close(),
  };
}

/** In a container, the user ID may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
