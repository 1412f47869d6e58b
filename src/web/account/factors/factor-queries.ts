import { queryOptions } from '@tanstack/react-query';
import type { ResultOf } from '../../../api/documents/operation-types.ts';
import { client } from '../../service/client.ts';

export type FactorsView = ResultOf<'getFactors'>;
export type PasskeyView = FactorsView['passkeys'][number];

/** The key begins as that of the other queries of the account, which are read again with it. */
export const factorsQuery = queryOptions({
  queryKey: ['account', 'factors'],
  queryFn: ({ signal }) => client.getFactors({}, { signal }),
});
