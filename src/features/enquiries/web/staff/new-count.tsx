import { useQuery } from '@tanstack/react-query';
import { overviewQuery } from './overview-query.ts';

const MOST = 99;

/** The number of new enquiries, in parentheses. Nothing if there are none, or if it is unknown. */
export function NewCount() {
  const { newEnquiries = 0 } = useQuery(overviewQuery).data ?? {};
  return newEnquiries > 0 && ` (${newEnquiries > MOST ? `${MOST}+` : newEnquiries})`;
}
