import { queryOptions } from '@tanstack/react-query';
import type { ArgumentsOf, ResultOf } from '../../api/documents/operation-types.ts';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/queries.ts';

export const ADMIN_KEY = ['administration'] as const;

export type UserView = ResultOf<'searchUsers'>[number];
export type BackupOverview = ResultOf<'listBackups'>;
export type RestoreView = ResultOf<'getRestore'>;
export type BackupCheckView = ResultOf<'checkBackup'>;
export type BackupView = BackupOverview['backups'][number];
export type AuditEntryView = ResultOf<'listAuditEntries'>[number];

export type HealthView = ResultOf<'getHealth'>;
export type FindingView = HealthView['findings'][number];

export type ProgramView = ResultOf<'listAllOAuthClients'>[number];

export type ActivityView = ResultOf<'getActivity'>;
export type LogEntryView = ResultOf<'listLogEntries'>['entries'][number];
export type LogFilter = Pick<ArgumentsOf<'listLogEntries'>, 'level' | 'text'>;

export type SystemView = ResultOf<'getSystem'>;

export type DeadMailView = ResultOf<'listDeadMail'>[number];

export type UserFactorsView = ResultOf<'getUserFactors'>;

export type UserFilter = Pick<ArgumentsOf<'searchUsers'>, 'text' | 'role' | 'userStatus'>;
export type AuditFilter = Omit<ArgumentsOf<'listAuditEntries'>, 'limit' | 'cursor'>;

/** Polling interval while a check or a backup is running. */
const PROGRESS_MS = 1000;

const SERVERS_MS = 5000;

const LOG_MS = 5000;

const MINUTE_MS = 60_000;

const PAGE_SIZE = 50;
/** Larger, because the entries of one bulk change share a row. */
const AUDIT_PAGE_SIZE = 200;

export function usersQuery(filter: UserFilter) {
  return pagedQuery([...ADMIN_KEY, 'users', filter], (page, options) =>
    client.searchUsers.response({ ...filter, limit: PAGE_SIZE, ...page }, options),
  );
}

/** The username of an account or its ID: some usernames cannot be part of an address. */
export type UserAddress = Pick<ArgumentsOf<'getUserAsAdmin'>, 'username' | 'by'>;

/** By ID: the account may be renamed in the meantime. */
export function addressOf({ accountId }: UserView): UserAddress {
  return { username: String(accountId), by: 'accountId' };
}

export function userQuery(address: UserAddress) {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'user', address],
    queryFn: ({ signal }) => client.getUserAsAdmin(address, { signal }),
  });
}

export function userSessionsQuery(user: UserView) {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'user', String(user.accountId), 'sessions'],
    queryFn: ({ signal }) => client.listUserSessions(addressOf(user), { signal }),
  });
}

export function userKeysQuery(user: UserView) {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'user', String(user.accountId), 'keys'],
    queryFn: ({ signal }) => client.listUserKeys(addressOf(user), { signal }),
  });
}

export function userFactorsQuery(user: UserView) {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'user', String(user.accountId), 'factors'],
    queryFn: ({ signal }) => client.getUserFactors(addressOf(user), { signal }),
  });
}

export function userProvidersQuery(user: UserView) {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'user', String(user.accountId), 'providers'],
    queryFn: ({ signal }) => client.listUserProviders(addressOf(user), { signal }),
  });
}

export function healthQuery() {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'health'],
    queryFn: ({ signal }) => client.getHealth({}, { signal }),
    refetchInterval: ({ state: { data } }) => {
      if ((data?.running ?? null) !== null) return PROGRESS_MS;
      return (data?.databaseServers.length ?? 0) > 0 ? SERVERS_MS : false;
    },
  });
}

export const activityQuery = queryOptions({
  queryKey: [...ADMIN_KEY, 'activity'],
  queryFn: ({ signal }) => client.getActivity({}, { signal }),
  refetchInterval: MINUTE_MS,
});

export function logQuery(filter: LogFilter, isPaused: boolean) {
  return queryOptions({
    queryKey: [...ADMIN_KEY, 'log', filter],
    queryFn: ({ signal }) => client.listLogEntries(filter, { signal }),
    refetchInterval: isPaused ? false : LOG_MS,
    refetchOnWindowFocus: !isPaused,
  });
}

export function auditQuery(filter: AuditFilter) {
  const query = pagedQuery([...ADMIN_KEY, 'audit', filter], (page, options) =>
    client.listAuditEntries.response({ ...filter, limit: AUDIT_PAGE_SIZE, ...page }, options),
  );
  // Refetching would add new entries and move the list while the user reads it.
  return { ...query, staleTime: Number.POSITIVE_INFINITY };
}

export const backupsQuery = queryOptions({
  queryKey: [...ADMIN_KEY, 'backups'],
  queryFn: ({ signal }) => client.listBackups({}, { signal }),
  refetchInterval: ({ state: { data } }) => (data?.backups[0]?.state === 'running' ? PROGRESS_MS : false),
});

export const restoreQuery = queryOptions({
  queryKey: [...ADMIN_KEY, 'restore'],
  queryFn: ({ signal }) => client.getRestore({}, { signal }),
  // Also while the service starts again, and does not respond.
  refetchInterval: ({ state: { data } }) =>
    data?.state === 'running' || data?.state === 'restarting' ? PROGRESS_MS : false,
});

export const programsQuery = queryOptions({
  queryKey: [...ADMIN_KEY, 'programs'],
  queryFn: ({ signal }) => client.listAllOAuthClients({}, { signal }),
});

export const systemQuery = queryOptions({
  queryKey: [...ADMIN_KEY, 'system'],
  queryFn: ({ signal }) => client.getSystem({}, { signal }),
});

export const deadMailQuery = queryOptions({
  queryKey: [...systemQuery.queryKey, 'dead-mail'],
  queryFn: ({ signal }) => client.listDeadMail({}, { signal }),
});
