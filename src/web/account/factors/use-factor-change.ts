import { useQueryClient } from '@tanstack/react-query';
import { MenagerieError } from '../../../client/failures.ts';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { factorsQuery } from './factor-queries.ts';

/** A change of the own factors, which reads them again. A notice shows its failure. */
export function useFactorChange<Data>(change: () => Promise<Data>, onSuccess?: () => void) {
  const queries = useQueryClient();
  const failureText = useFailureText();
  return useAction({
    mutationFn: change,
    ...(onSuccess && { onSuccess }),
    onError: (error) => {
      // Without a proof, the user has cancelled the change.
      const isCancelled = error instanceof MenagerieError && error.proof !== undefined;
      if (!isCancelled) showNotice({ text: failureText(error), isError: true });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: factorsQuery.queryKey }),
  });
}
