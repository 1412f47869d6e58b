import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ResultOf } from '../../../../api/documents/operation-types.ts';
import { ENQUIRIES_KEY, overviewQuery } from './overview-query.ts';
import { UNASSIGNED, type EnquirySearch } from '../../api/enquiry-rules.ts';
import type { PersonalRecords } from '../../../../web/features/web-feature.ts';
import { client } from '../../../../web/service/client.ts';
import { useCurrentUser } from '../../../../web/service/current-user.ts';
import { pagedQuery } from '../../../../web/service/queries.ts';

/* The queries of staff. Like those of administrators, they are deleted from the cache on logout. */

export type EnquiryView = ResultOf<'listEnquiries'>[number];

const PAGE_SIZE = 50;

/** The query of the API for the parameters of the page. */
export function filterOf({ state, assignee, petId, text }: EnquirySearch) {
  return {
    ...(state !== undefined && { state }),
    ...(assignee === UNASSIGNED ? { unassigned: true } : assignee !== undefined && { assignee }),
    ...(petId !== undefined && { petId: BigInt(petId) }),
    ...(text !== undefined && { text }),
  };
}

export function enquiriesQuery(search: EnquirySearch) {
  return pagedQuery([...ENQUIRIES_KEY, 'list', search], (page, options) =>
    client.listEnquiries.response({ ...filterOf(search), limit: PAGE_SIZE, ...page }, options),
  );
}

/** An enquiry, and the entity tag that changes of it send. */
export interface ReadEnquiry {
  enquiry: EnquiryView;
  etag: string | undefined;
}

/** @param id its digits */
export function enquiryQuery(id: string) {
  return queryOptions({
    queryKey: [...ENQUIRIES_KEY, 'one', id],
    queryFn: async ({ signal }) => readOf(await client.getEnquiry.response({ enquiryId: BigInt(id) }, { signal })),
  });
}

export function readOf({ value, etag }: { value: EnquiryView | undefined; etag: string | undefined }): ReadEnquiry {
  if (value === undefined) throw new TypeError('The response contains no enquiry.');
  return { enquiry: value, etag };
}

/** The enquiries of a person. @param email the whole address */
export function enquiriesOfPersonQuery(email: string) {
  return pagedQuery([...ENQUIRIES_KEY, 'person', email], (page, options) =>
    client.listEnquiries.response({ email, limit: PAGE_SIZE, ...page }, options),
  );
}

/** The records of a person that a feature stores. */
export function recordsOfPersonQuery(load: () => Promise<PersonalRecords>, feature: number, email: string) {
  return queryOptions({
    queryKey: [...ENQUIRIES_KEY, 'records', feature, email],
    queryFn: async ({ signal }) => {
      const records = await load();
      return { records, count: await records.count(email, signal) };
    },
  });
}

/** The settings of the form, and the entity tag that changes of them send. */
export const enquirySettingsQuery = queryOptions({
  queryKey: [...ENQUIRIES_KEY, 'settings'],
  queryFn: async ({ signal }) => {
    const { value, etag } = await client.getEnquirySettings.response({}, { signal });
    if (value === undefined) throw new TypeError('The response contains no settings.');
    return { settings: value, etag };
  },
});

/** The user names that are offered as assignees; the current user until they are known. */
export function useStaff(): readonly string[] {
  const currentUser = useCurrentUser();
  const { data } = useQuery(overviewQuery);
  return data?.staff ?? (currentUser === null ? [] : [currentUser.username]);
}
