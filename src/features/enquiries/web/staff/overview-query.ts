import { queryOptions } from '@tanstack/react-query';
import { plainClient } from '../../../../web/service/client.ts';

/** Every query of enquiries begins so. Like those of administrators, they are deleted from the cache on logout. */
export const ENQUIRIES_KEY = ['administration', 'enquiries'] as const;

const STALE_MS = 60_000;

/**
 * The number of new enquiries, and the staff. Read when a page opens and when the window gets the focus, not in
 * intervals: an open page must not keep its session alive. A session that has ended is noticed by what the user does.
 */
export const overviewQuery = queryOptions({
  queryKey: [...ENQUIRIES_KEY, 'overview'],
  queryFn: ({ signal }) => plainClient.getEnquiryOverview({}, { signal }),
  staleTime: STALE_MS,
  refetchOnWindowFocus: true,
  retry: false,
});
