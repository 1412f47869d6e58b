import { KeyRound } from 'lucide-react';
import { useId, useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { PasswordField } from '../../design/fields/password-field.tsx';
import { LoginError } from './login-error.tsx';
import { hasPasskeys } from './passkeys.ts';
import type { Factor, Proof } from './sign-in.ts';
import { CodeField } from './code-field.tsx';

interface FactorFormProps {
  /** The factors of the account, of which one is enough. */
  factors: readonly string[];
  /** For password managers. */
  username?: string;
  isBusy: boolean;
  error: Error | null;
  attempt: number;
  onSubmit: (proof: Proof) => void;
  /** Called when the user chooses another factor: an error is outdated then. */
  onChange: () => void;
}

/** The order in which factors are offered: the safest first, and recovery codes last, of which there are few. */
const ORDER = ['passkey', 'totp', 'password', 'recovery-code'] as const satisfies readonly Factor[];

/** The factors that can be used in this browser. */
export function usableFactors(factors: readonly string[]): readonly Factor[] {
  return ORDER.filter((factor) => factors.includes(factor) && (factor !== 'passkey' || hasPasskeys()));
}

/** Asks for one factor. The user may choose another one of the account. */
export function FactorForm({ factors, onChange, ...form }: FactorFormProps) {
  const t = useTranslations('signIn.factor');
  const usable = usableFactors(factors);
  const [chosen, setChosen] = useState(usable[0]);
  if (chosen === undefined)
    return (
      <p className="note" data-tone="danger">
        {t('none')}
      </p>
    );
  return (
    <>
      <ChosenFactor key={chosen} {...form} factor={chosen} />
      {usable.length > 1 && (
        <div className="row">
          {usable
            .filter((factor) => factor !== chosen)
            .map((factor) => (
              <Button
                key={factor}
                variant="subtle"
                disabled={form.isBusy}
                onClick={() => {
                  onChange();
                  setChosen(factor);
                }}
              >
                {t(`${factor}.choose`)}
              </Button>
            ))}
        </div>
      )}
    </>
  );
}

interface ChosenFactorProps extends Omit<FactorFormProps, 'factors' | 'onChange'> {
  factor: Factor;
}

function ChosenFactor({ factor, username, isBusy, error, attempt, onSubmit }: ChosenFactorProps) {
  const t = useTranslations('signIn.factor');
  const [text, setText] = useState('');
  const id = useId();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (factor === 'passkey') onSubmit({ factor });
    else if (text.trim() !== '')
      onSubmit(factor === 'password' ? { factor, password: text } : { factor, code: text.trim() });
    event.currentTarget.querySelector<HTMLInputElement>('input:not([hidden])')?.select();
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      {factor === 'passkey' && <p id={id}>{t('passkey.text')}</p>}
      {factor === 'password' && (
        <>
          {/* For password managers. */}
          <input hidden readOnly autoComplete="username" value={username ?? ''} />
          <PasswordField
            ref={takeFocus}
            data-autofocus
            label={t('password.label')}
            autoComplete="current-password"
            required
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </>
      )}
      {(factor === 'totp' || factor === 'recovery-code') && (
        <CodeField ref={takeFocus} factor={factor} value={text} onChange={setText} />
      )}
      <LoginError error={error} attempt={attempt} wrongText={t(`${factor}.wrong`)} />
      <Button
        type="submit"
        loading={isBusy}
        {...(factor === 'passkey' && {
          ref: takeFocus,
          'data-autofocus': true,
          'aria-describedby': id,
          leftSection: <KeyRound size="1.1em" aria-hidden />,
        })}
      >
        {t(factor === 'passkey' ? 'passkey.use' : 'submit')}
      </Button>
    </form>
  );
}

/** A form that appears takes the focus, so that a screen reader starts there. */
function takeFocus(control: HTMLElement | null): void {
  control?.focus();
}
