import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../../client/failures.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { isErrorAt } from './form-error.tsx';
import { PasskeyFailure } from './passkeys.ts';
import { CookieRefused, OtherUser } from './sign-in.ts';
import styles from './account.module.css';

interface LoginErrorProps {
  error: Error | null;
  /** Another value for each attempt: the same error again is announced again. */
  attempt: number;
  /** For what the service did not accept: a password, a code or a passkey. */
  wrongText: string;
  /** Replaces the message. */
  text?: string | undefined;
}

/** Why a login or a proof failed. The live region is always mounted, so that the error is announced. */
export function LoginError({ error, attempt, wrongText, text }: LoginErrorProps) {
  return (
    <div role="alert" className={styles['status']}>
      {error !== null && !isReplaced(error) && (
        <div key={attempt} className="note" data-tone="danger">
          {text ?? <ErrorText error={error} wrongText={wrongText} />}
        </div>
      )}
    </div>
  );
}

/** The page itself has begun another request of the browser. */
function isReplaced(error: Error): boolean {
  return error instanceof PasskeyFailure && error.reason === 'replaced';
}

function ErrorText({ error, wrongText }: { error: Error; wrongText: string }) {
  const login = useTranslations('account.login');
  const t = useTranslations('signIn.error');
  const failureText = useFailureText();
  if (error instanceof CookieRefused) return login('cookieRefused');
  if (error instanceof OtherUser) return t('otherUser');
  if (error instanceof PasskeyFailure) return t(`passkey.${error.reason}`);
  if (!(error instanceof MenagerieError)) return failureText(error);
  if (error.code === 'too-many-requests' && error.retryAfterSeconds !== undefined)
    return <Wait seconds={error.retryAfterSeconds} />;
  if (isErrorAt(error, '/step')) return t('expired');
  // The user was asked for a factor, and cancelled.
  if (error.proof !== undefined) return t('unproved');
  return error.code === 'invalid-input' ? wrongText : failureText(error);
}

const SECOND_MS = 1000;
const MINUTE_SECONDS = 60;

/** A visible countdown. Screen readers announce the time once, at the start. */
function Wait({ seconds }: { seconds: number }) {
  const t = useTranslations('account.login');
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const endsAtMs = Date.now() + seconds * SECOND_MS;
    const tick = () => setLeft(Math.max(0, Math.ceil((endsAtMs - Date.now()) / SECOND_MS)));
    const timer = setInterval(tick, SECOND_MS / 2);
    return () => clearInterval(timer);
  }, [seconds]);
  const waitText = (time: number) =>
    time > 2 * MINUTE_SECONDS
      ? t('throttledLong', { minutes: Math.ceil(time / MINUTE_SECONDS) })
      : t('throttled', { seconds: time });
  if (left === 0) return t('tryNow');
  return (
    <>
      <span className="visually-hidden">{waitText(seconds)}</span>
      <span aria-hidden>{waitText(left)}</span>
    </>
  );
}
