import { KeyRound } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { CurrentUser } from '../../../api/web/bootstrap.ts';
import { Button } from '../../design/buttons.tsx';
import { UsernameField } from '../../design/fields/field.tsx';
import { PasswordField } from '../../design/fields/password-field.tsx';
import { useAction } from '../../service/action.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { FactorForm } from './factor-form.tsx';
import { isErrorAt } from './form-error.tsx';
import { LoginError } from './login-error.tsx';
import { canAutofill, hasPasskeys, stopAsking } from './passkeys.ts';
import {
  choosePasskey,
  completeLogin,
  logIn,
  logInWithPasskey,
  type Credentials,
  type Proof,
  type SecondStep,
} from './sign-in.ts';
import styles from './account.module.css';

interface LoginFormProps {
  /** The user of the session that ended; no other user can continue it. */
  username?: string;
  /** A login that was begun at a provider. */
  begun?: SecondStep | undefined;
  onDone: (currentUser: CurrentUser) => void;
}

/** Logs in with a passkey, or with name and password and then, if the account has one, a second factor. */
export function LoginForm({ username, begun, onDone }: LoginFormProps) {
  const [second, setSecond] = useState(begun);
  const [expiry, setExpiry] = useState<Error | null>(null);
  if (second === undefined)
    return (
      <FirstFactor
        {...(username !== undefined && { username })}
        expiry={expiry}
        onDone={onDone}
        onSecondStep={(step) => setSecond(step)}
      />
    );
  const restart = (error: Error | null) => {
    setExpiry(error);
    setSecond(undefined);
  };
  return <SecondFactor second={second} onDone={onDone} onRestart={restart} />;
}

interface FirstFactorProps extends Omit<LoginFormProps, 'begun'> {
  /** Why the second step failed: it was not completed in time. */
  expiry: Error | null;
  onSecondStep: (second: SecondStep) => void;
}

/** A native form with the field names that password managers look for. */
function FirstFactor({ username, expiry, onDone, onSecondStep }: FirstFactorProps) {
  const t = useTranslations('account');
  // With e-mail, the page has a link for those who forgot it.
  const wrongText = [t('login.wrong'), ...(bootstrap.mail === true ? [] : [t('login.askForLink')])].join(' ');
  const password = useRef<HTMLInputElement>(null);
  const login = useAction({
    mutationFn: logIn,
    onSuccess: (outcome) => ('step' in outcome ? onSecondStep(outcome) : onDone(outcome)),
    onError: () => password.current?.select(),
  });
  return (
    <>
      {hasPasskeys() && <PasskeyLogin username={username} onDone={onDone} />}
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
          autoComplete="username webauthn"
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
        <LoginError error={login.error ?? expiry} attempt={login.submittedAt} wrongText={wrongText} />
        <Button type="submit" loading={login.isPending}>
          {t('login.submit')}
        </Button>
      </form>
    </>
  );
}

function readCredentials(form: HTMLFormElement): Credentials {
  const data = new FormData(form);
  return { username: textOf(data.get('username')), password: textOf(data.get('password')) };
}

function textOf(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value : '';
}

interface PasskeyLoginProps {
  username: string | undefined;
  onDone: (currentUser: CurrentUser) => void;
}

/** A button, while the browser also offers passkeys in the field for the username. */
function PasskeyLogin({ username, onDone }: PasskeyLoginProps) {
  const t = useTranslations('signIn.login');
  const login = useAction({
    mutationFn: (chosen: Awaited<ReturnType<typeof choosePasskey>>) => logInWithPasskey(chosen, username),
    onSuccess: onDone,
  });
  const choice = useAction({
    mutationFn: () => choosePasskey(false),
    onMutate: () => login.reset(),
    onSuccess: (chosen) => login.mutate(chosen),
  });
  useAutofill((chosen) => login.mutate(chosen));
  return (
    <div className="stack">
      <Button
        variant="default"
        leftSection={<KeyRound size="1.1em" aria-hidden />}
        loading={choice.isPending || login.isPending}
        onClick={() => choice.mutate()}
      >
        {t('passkey')}
      </Button>
      <LoginError
        error={choice.error ?? login.error}
        attempt={Math.max(choice.submittedAt, login.submittedAt)}
        wrongText={t('passkeyWrong')}
      />
      <p className={styles['or']}>{t('or')}</p>
    </div>
  );
}

function useAutofill(onChoice: (chosen: Awaited<ReturnType<typeof choosePasskey>>) => void): void {
  const choose = useEffectEvent(onChoice);
  useEffect(() => {
    let isOver = false;
    const offer = async () => {
      if (!(await canAutofill()) || isOver) return;
      const chosen = await choosePasskey(true);
      if (!isOver) choose(chosen);
    };
    // The form works without it.
    offer().catch(() => {});
    return () => {
      isOver = true;
      void stopAsking();
    };
  }, []);
}

interface SecondFactorProps {
  second: SecondStep;
  onDone: (currentUser: CurrentUser) => void;
  onRestart: (error: Error | null) => void;
}

function SecondFactor({ second, onDone, onRestart }: SecondFactorProps) {
  const t = useTranslations('signIn.login');
  const login = useAction({
    mutationFn: (proof: Proof) => completeLogin(second, proof),
    onSuccess: onDone,
    onError: (error) => {
      if (isErrorAt(error, '/step')) onRestart(error);
    },
  });
  return (
    <div className="stack">
      <p className="soft">{t('secondStep')}</p>
      <FactorForm
        factors={second.factors}
        isBusy={login.isPending}
        error={login.error}
        attempt={login.submittedAt}
        onSubmit={(proof) => login.mutate(proof)}
        onChange={() => login.reset()}
      />
      <Button variant="subtle" disabled={login.isPending} onClick={() => onRestart(null)}>
        {t('back')}
      </Button>
    </div>
  );
}
