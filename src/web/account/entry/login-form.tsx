import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { MenagerieError } from '../../../client/failures.ts';
import type { CurrentUser } from '../../../api/web/bootstrap.ts';
import { PasswordField } from '../../design/fields/password-field.tsx';
import { UsernameField } from '../../design/fields/field.tsx';
import { useAction } from '../../service/action.ts';
import { useFailureText } from '../../service/failure-text.ts';
import styles from './account.module.css';
import { plainClient } from '../../service/client.ts';
import { findCurrentUser } from '../../service/current-user.ts';
import { Dialog } from '../../design/dialog.tsx';

interface LoginFormProps {
  /** The user of the session that ended; no other user can continue it. */
  username?: string;
  onDone: (currentUser: CurrentUser) => void;
}

/** A native form with the field names that password managers look for. */
export function LoginForm({ username, onDone }: LoginFormProps) {
  const t = useTranslations('account');
  const password = useRef<HTMLInputElement>(null);
  const login = useAction({ mutationFn: logIn, onSuccess: onDone, onError: () => password.current?.select() });
  const isWrong = login.error instanceof MenagerieError && login.error.code === 'invalid-input';
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        login.mutate(readCredentials(event.currentTarget));
      }}
    >
      <UsernameField
        label={t('username')}
        name="username"
        data-initial-focus={username === undefined || undefined}
        readOnly={username !== undefined}
        defaultValue={username}
      />
      <PasswordField
        ref={password}
        label={t('password')}
        name="password"
        autoComplete="current-password"
        required
        data-autofocus
      />
      <div role="alert" className={styles['status']}>
        {login.error !== null && <LoginError key={login.submittedAt} error={login.error} isWrong={isWrong} />}
      </div>
      <Button type="submit" loading={login.isPending}>
        {t('login.submit')}
      </Button>
    </form>
  );
}

function readCredentials(form: HTMLFormElement): Credentials {
  const data = new FormData(form);
  return { username: textOf(data.get('username')), password: textOf(data.get('password')) };
}

function textOf(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value : '';
}

function LoginError({ error, isWrong }: { error: Error; isWrong: boolean }) {
  const t = useTranslations('account.login');
  const failureText = useFailureText();
  const seconds =
    error instanceof MenagerieError && error.code === 'too-many-requests' ? error.retryAfterSeconds : undefined;
  return (
    <div className="note" data-tone="danger">
      {seconds !== undefined ? (
        <Wait seconds={seconds} />
      ) : isWrong ? (
        t('wrong')
      ) : error instanceof CookieRefused ? (
        t('cookieRefused')
      ) : (
        failureText(error)
      )}
    </div>
  );
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

export interface Credentials {
  username: string;
  password: string;
}

/** The login succeeded, but the browser did not store the cookie. */
export class CookieRefused extends Error {
  override readonly name = 'CookieRefused';
}

/** Starts a session. The session is in a cookie that scripts cannot read; the token in the response is not used. */
export async function logIn(credentials: Credentials): Promise<CurrentUser> {
  await plainClient.loginUserWithBody({ body: credentials });
  const currentUser = await findCurrentUser();
  if (currentUser === null) throw new CookieRefused('The browser did not store the session cookie.');
  return currentUser;
}

interface LoginAgainDialogProps {
  username: string;
  onDone: (currentUser: CurrentUser) => void;
  onCancel: () => void;
}

export function LoginAgainDialog({ username, onDone, onCancel }: LoginAgainDialogProps) {
  const t = useTranslations('account.again');
  return (
    <Dialog isOpen onClose={onCancel} title={t('title')} size="small">
      <div className="stack">
        <p className="soft">{t('text')}</p>
        <LoginForm username={username} onDone={onDone} />
        <Button variant="subtle" onClick={onCancel}>
          {t('later')}
        </Button>
      </div>
    </Dialog>
  );
}
