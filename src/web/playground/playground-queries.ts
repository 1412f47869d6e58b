import { queryOptions } from '@tanstack/react-query';
import type { ArgumentsOf, ResultOf } from '../../api/documents/operation-types.ts';
import { createClient } from '../../client/client.ts';
import { playground } from '../service/playground-place.ts';

/** The client of the service itself, where playgrounds are managed. */
export const service = createClient({ base: playground?.service ?? '' });

export type FaultRuleView = ResultOf<'getPlaygroundFaults'>['rules'][number];
export type NewFaultRule = ArgumentsOf<'setPlaygroundFaults'>['body']['rules'][number];
export type BugView = ResultOf<'getPlaygroundBugs'>['bugs'][number];

const KEY = ['playground'] as const;

export const playgroundQuery = (of: string) =>
  queryOptions({
    queryKey: [...KEY, 'state'],
    queryFn: ({ signal }) => service.getPlayground({ token: of }, { signal }),
  });

export const faultsQuery = (of: string) =>
  queryOptions({
    queryKey: [...KEY, 'faults'],
    queryFn: ({ signal }) => service.getPlaygroundFaults({ token: of }, { signal }),
  });

export const bugsQuery = (of: string) =>
  queryOptions({
    queryKey: [...KEY, 'bugs'],
    queryFn: ({ signal }) => service.getPlaygroundBugs({ token: of }, { signal }),
  });
