import type { DatabaseServer, ReplayLag } from '../../domain/health/database-servers.ts';
import { gauge, type Family } from './families.ts';

/**
 * One series for each server of the database. An unreachable server has no values except `up`.
 *
 * @param areNamed whether its host may be shown; otherwise its place among the servers is
 */
export function serverFamilies(servers: readonly DatabaseServer[], areNamed: boolean): readonly Family[] {
  if (servers.length === 0) return [];
  const family = (name: string, help: string, valueOf: (server: DatabaseServer) => number | undefined) => {
    const values = servers.flatMap((server, index) => {
      const value = valueOf(server);
      const label = areNamed ? server.name : String(index + 1);
      return value === undefined ? [] : [[{ server: label }, value] as const];
    });
    return gauge(`menagerie_database_server_${name}`, help, values);
  };
  return [
    family('up', '1 if the server of the database responds.', ({ isReachable }) => Number(isReachable)),
    family('primary', '1 if it is a primary.', ({ role }) =>
      role === undefined ? undefined : Number(role === 'primary'),
    ),
    family('timeline', 'The timeline of PostgreSQL that it follows.', ({ timeline }) => timeline),
    family('replay_lag_seconds', 'Age of the oldest change that it does not show.', (server) => lagOf(server)?.seconds),
    family('replay_lag_bytes', 'Log of the changes that it does not show.', (server) => lagOf(server)?.bytes),
  ];
}

function lagOf({ role, lag }: DatabaseServer): ReplayLag | undefined {
  return role === 'primary' ? { bytes: 0, seconds: 0 } : lag;
}
