import { userInfo } from 'node:os';
import type { Actor } from '../domain/access.ts';
import type { Administration } from '../domain/accounts/administration.ts';
import type { AuditTrail } from '../domain/audit-trail.ts';
import { createAccounts } from './accounts.ts';
import type { Config } from './config.ts';
import { adoptPhotos, openStoresBesideServer } from './open-stores.ts';

/** What whoever runs the service does at the command line: on the data itself, whether a server is running on it or not. */
export interface OperatorDesk {
  operator: Actor;
  administration: Administration;
  auditTrail: AuditTrail;
  /** Makes the stored photos those of this database. @throws Failure `unavailable` */
  adoptPhotos(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param isNew whether there may be no data yet: then it is made
 * @throws Failure `unavailable`, `not-found`
 */
export async function openOperatorDesk(config: Config, isNew: boolean): Promise<OperatorDesk> {
  const stores = await openStoresBesideServer(config, isNew);
  // By the rules of secured access, whatever the service runs with today: an account with a role is made for that.
  const { administration, auditTrail } = createAccounts(
    stores,
    { ...config, mode: 'secured', hashingConcurrency: 1 },
    Date.now,
  );
  const operator = { kind: 'operator', name: systemUser() } as const;
  return {
    operator,
    administration,
    auditTrail,
    adoptPhotos: () => adoptPhotos(config, stores),
    close: () => stores.close(),
  };
}

/** A container may run under a number that has no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
