import { queryOptions } from '@tanstack/react-query';
import type { ResultOf } from '../../api/documents/operation-types.ts';
import { client } from '../service/client.ts';

export const ACCOUNT_KEY = ['account'] as const;

export type AccountView = ResultOf<'getAccount'>;
export type SessionView = ResultOf<'listSessions'>[number];
export type KeyView = ResultOf<'listKeys'>[number];
export type ProgramView = ResultOf<'listOAuthClients'>[number];
export type TokenView = ResultOf<'listAccessTokens'>[number];

export type LinkedProviderView = ResultOf<'listLinkedProviders'>[number];

export const accountQuery = queryOptions({
  queryKey: [...ACCOUNT_KEY, 'profile'],
  queryFn: ({ signal }) => client.getAccount({}, { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: [...ACCOUNT_KEY, 'sessions'],
  queryFn: ({ signal }) => client.listSessions({}, { signal }),
});

export const keysQuery = queryOptions({
  queryKey: [...ACCOUNT_KEY, 'keys'],
  queryFn: ({ signal }) => client.listKeys({}, { signal }),
});

export const programsQuery = queryOptions({
  queryKey: [...ACCOUNT_KEY, 'programs'],
  queryFn: ({ signal }) => client.listOAuthClients({}, { signal }),
});

export const tokensQuery = queryOptions({
  queryKey: [...ACCOUNT_KEY, 'tokens'],
  queryFn: ({ signal }) => client.listAccessTokens({}, { signal }),
});

export const linkedProvidersQuery = queryOptions({
  queryKey: [...ACCOUNT_KEY, 'providers'],
  queryFn: ({ signal }) => client.listLinkedProviders({}, { signal }),
});
