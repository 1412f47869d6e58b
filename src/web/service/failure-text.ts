import { useTranslations } from 'use-intl';
import { MenagerieError, NetworkError } from '../../client/failures.ts';

const SERVER_ERROR = 500;

/** These say the same whatever they are about. */
const TOLD_HERE = [
  'unauthenticated',
  'forbidden',
  'not-found',
  'conflict',
  'precondition-failed',
  'too-large',
  'unavailable',
] as const;

function isToldHere(code: string): code is (typeof TOLD_HERE)[number] {
  return (TOLD_HERE as readonly string[]).includes(code);
}

/** Tells a person what went wrong, in their language where the failure is one of those that are told often, else in the words of the service. */
export function useFailureText(): (error: unknown) => string {
  const t = useTranslations('failure');
  return (error) => {
    if (error instanceof NetworkError) return t(error.isTimeout ? 'timeout' : 'network');
    if (!(error instanceof MenagerieError)) return t('unexpected', { requestId: '-' });
    const { code, status } = error;
    if (code === 'too-many-requests') return t(code, { seconds: error.retryAfterSeconds ?? 60 });
    if (code === 'insufficient-storage') return t('unavailable');
    if (isToldHere(code)) return t(code);
    return status < SERVER_ERROR ? error.message : t('unexpected', { requestId: error.requestId ?? '-' });
  };
}
