import type { DatabaseServer } from '../../domain/health/database-servers.ts';
import type { FoundProblem } from '../../domain/health/finding.ts';
import type { StorePlaces } from '../configuration/config.ts';
import { problemOf, type HealthCheck, type HealthContext } from './check.ts';

/** The message of its problem and the alert have the same number. */
const MAX_LAG_SECONDS = 30;

/** Empty for a database without servers. */
export async function readServers({ database, standby }: StorePlaces): Promise<readonly DatabaseServer[]> {
  if (database === undefined) return [];
  const { examineServers } = await import('../../storage/postgres/engine/server-probes.ts');
  return examineServers(standby === undefined ? [database] : [database, standby]);
}

export const serversCheck: HealthCheck<HealthContext> = {
  name: 'servers',
  find: async ({ servers }) => findServerProblems(servers),
};

export function findServerProblems(servers: readonly DatabaseServer[]): readonly FoundProblem[] {
  const primaries = servers.filter(({ role }) => role === 'primary');
  const timelines = primaries.flatMap(({ timeline }) => timeline ?? []);
  const current = timelines.length === 0 ? undefined : Math.max(...timelines);
  const isElsewhere = ({ role, timeline }: DatabaseServer) =>
    role === 'standby' && timeline !== undefined && current !== undefined && timeline !== current;
  const namesOf = (isMeant: (server: DatabaseServer) => boolean) => servers.filter(isMeant).map(({ name }) => name);
  return [
    ...problemOf(
      'server-unreachable',
      namesOf(({ isReachable }) => !isReachable),
    ),
    ...problemOf('server-primaries', primaries.length > 1 ? primaries.map(describe) : []),
    ...problemOf(
      'server-behind',
      namesOf(({ lag }) => (lag?.seconds ?? 0) > MAX_LAG_SECONDS),
    ),
    ...problemOf('server-timeline', servers.filter(isElsewhere).map(describe)),
  ];
}

function describe({ name, timeline }: DatabaseServer): string {
  return timeline === undefined ? name : `${name} (timeline ${timeline})`;
}
