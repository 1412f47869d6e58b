import { MenagerieError } from '../../../client/failures.ts';
import { useTranslations } from 'use-intl';
import { useFailureText } from '../../service/failure-text.ts';

/** Whether the error concerns a field (`/password`) or has a code (`conflict`). */
export function isErrorAt(error: unknown, what: `/${string}` | 'conflict' | 'forbidden' | 'not-found'): boolean {
  if (!(error instanceof MenagerieError)) return false;
  return what.startsWith('/') ? error.errors.some(({ path }) => path === what) : error.code === what;
}

interface FormErrorProps {
  error: Error | null;
  /** Replaces the default message. */
  text?: string | undefined;
}

/** An error of a form as a whole. The live region is always mounted, so that the error is announced. */
export function FormError({ error, text }: FormErrorProps) {
  const t = useTranslations('signIn.error');
  const failureText = useFailureText();
  // The user was asked for a factor, and cancelled.
  const isUnproved = error instanceof MenagerieError && error.proof !== undefined;
  return (
    <div role="alert">
      {error !== null && (
        <p className="note" data-tone="danger">
          {text ?? (isUnproved ? t('unproved') : failureText(error))}
        </p>
      )}
    </div>
  );
}
