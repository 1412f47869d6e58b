import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../../../web/service/action.ts';
import { ENQUIRIES_KEY, overviewQuery } from './overview-query.ts';
import { enquiryQuery, readOf, type EnquiryView, type ReadEnquiry } from './enquiry-queries.ts';

interface Response {
  value: EnquiryView | undefined;
  etag: string | undefined;
}

/** An action on an enquiry. After it, and if it was refused because of another change, the page shows the new state. */
export function useEnquiryChange<Input>(id: bigint, change: (input: Input) => Promise<Response>) {
  const queries = useQueryClient();
  const { queryKey } = enquiryQuery(String(id));
  return useAction<ReadEnquiry, Input>({
    mutationFn: async (input) => readOf(await change(input)),
    onSuccess: (read) => {
      queries.setQueryData(queryKey, read);
      void queries.invalidateQueries({ queryKey: [...ENQUIRIES_KEY, 'list'] });
      void queries.invalidateQueries(overviewQuery);
    },
    onError: () => queries.invalidateQueries({ queryKey }),
  });
}
