import { useTranslations } from 'use-intl';
import { MenagerieError, NetworkError } from '../../client/failures.ts';

const SERVER_ERROR = 500;

/** Failures whose message does not depend on the operation. */
const TRANSLATED_CODES = [
  'unauthenticated',
  'forbidden',
  'not-found',
  'conflict',
  'precondition-failed',
  'too-large',
  'unavailable',
] as const;

function isTranslated(code: string): code is (typeof TRANSLATED_CODES)[number] {
  return (TRANSLATED_CODES as readonly string[]).includes(code);
}

/** Whether the cause is the connection of the user, not the service. */
export function isConnectionFailure(error: unknown): boolean {
  return error instanceof NetworkError || (!(error instanceof MenagerieError) && !navigator.onLine);
}

/** Returns a message for the user: translated for common failures, otherwise the message of the service. */
export function useFailureText(): (error: unknown) => string {
  const t = useTranslations('failure');
  return (error) => {
    if (!(error instanceof MenagerieError) && !navigator.onLine) return t('offline');
    if (error instanceof NetworkError) return t(error.isTimeout ? 'timeout' : 'network');
    if (!(error instanceof MenagerieError)) return t('unexpected', { requestId: '-' });
    const { code, status, retryAfterSeconds } = error;
    if (code === 'too-many-requests') return t(code, { seconds: retryAfterSeconds ?? 60 });
    // A conflict with Retry-After: the first request with the same idempotency key is still in progress.
    const isInProgress = code === 'conflict' && retryAfterSeconds !== undefined;
    if (code === 'insufficient-storage' || isInProgress) return t('unavailable');
    if (isTranslated(code)) return t(code);
    return status < SERVER_ERROR ? error.message : t('unexpected', { requestId: error.requestId ?? '-' });
  };
}
