import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { findProfileFaults } from '../../api/web/account-checks.ts';
import type { SetupChoices } from '../../api/web/bootstrap.ts';
import { MenagerieError } from '../../client/failures.ts';
import { findFault, NewPasswordField } from '../account/entry/new-password-field.tsx';
import { FormError, isErrorAt } from '../account/entry/form-error.tsx';
import { currencyOf } from '../../api/records/organisation/countries.ts';
import { CountryField } from '../design/fields/country-field.tsx';
import { TextField, UsernameField } from '../design/fields/field.tsx';
import { AccessField } from './access-field.tsx';
import type { SetupForm } from './setup-request.ts';
import styles from '../account/entry/account.module.css';
import setupStyles from './setup.module.css';

interface SetupFieldsProps {
  /** The token in the address; may be empty. */
  token: string;
  choices: SetupChoices;
  isBusy: boolean;
  error: Error | null;
  onSubmit: (form: SetupForm) => void;
}

const FIELDS = ['token', 'username', 'password', 'backupTo'] as const;

const NOTHING = { username: '', password: '', access: 'secured', backupTo: '', country: '' } as const;

type Given = Required<Omit<SetupForm, 'samples'>> & Pick<SetupForm, 'samples'>;

export function SetupFields({ token, choices, isBusy, error, onSubmit }: SetupFieldsProps) {
  const t = useTranslations('setup');
  const account = useTranslations('account');
  const { given, faults, change, submit } = useSetupForm({ ...NOTHING, token }, choices, onSubmit);
  const isTokenWrong = error instanceof MenagerieError && error.code === 'forbidden';
  const hasFieldError = isTokenWrong || FIELDS.some((field) => isErrorAt(error, `/${field}`));
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <TextField
        {...PLAIN_TEXT}
        id="token"
        label={t('token')}
        description={t('tokenHint')}
        required
        value={given.token}
        error={isTokenWrong ? t('tokenWrong') : faults.token && t('tokenMissing')}
        onChange={({ currentTarget }) => change({ token: currentTarget.value })}
      />
      <UsernameField
        id="username"
        label={account('username')}
        name="username"
        value={given.username}
        error={faults.username && account(`fault.username.${faults.username}`)}
        onChange={({ currentTarget }) => change({ username: currentTarget.value })}
      />
      <NewPasswordField
        id="password"
        label={account('password')}
        name="password"
        username={given.username}
        value={given.password}
        onChange={(password) => change({ password })}
        shownFault={isErrorAt(error, '/password') ? 'guessable' : faults.password}
      />
      {choices.country && <Country value={given.country} onChange={(country) => change({ country })} />}
      <AccessField choices={choices.access} access={given.access} onChange={(access) => change({ access })} />
      {choices.samples && <Samples isOn={samplesOf(given)} onChange={(samples) => change({ samples })} />}
      {choices.backupTo && (
        <BackupField
          value={given.backupTo}
          isRefused={isErrorAt(error, '/backupTo')}
          onChange={(backupTo) => change({ backupTo })}
        />
      )}
      {!choices.mail && <MailHint />}
      <FormError error={hasFieldError ? null : error} text={isErrorAt(error, 'conflict') ? t('conflict') : undefined} />
      <Button type="submit" loading={isBusy}>
        {t('submit')}
      </Button>
    </form>
  );
}

/** By default, a service that is only tried gets sample pets. In secured access, visitors would see them. */
function samplesOf({ samples, access }: Pick<Given, 'samples' | 'access'>): boolean {
  return samples ?? access !== 'secured';
}

/** The values of the form, and after the first attempt to submit it, their faults. */
function useSetupForm(initial: Given, choices: SetupChoices, onSubmit: SetupFieldsProps['onSubmit']) {
  const [given, setGiven] = useState<Given>(initial);
  const [isSubmitted, setSubmitted] = useState(false);
  const { token, username, password, access, backupTo, country } = given;
  const faults = {
    token: token === '' ? ('missing' as const) : undefined,
    username: findProfileFaults({ username }).username,
    password: password === '' ? ('missing' as const) : findFault(password, username),
  };
  return {
    given,
    faults: isSubmitted ? faults : { token: undefined, username: undefined, password: undefined },
    change: (part: Partial<Given>) => setGiven({ ...given, ...part }),
    submit: (event: SubmitEvent<HTMLFormElement>) => {
      event.preventDefault();
      setSubmitted(true);
      const first = FIELDS.find((field) => field !== 'backupTo' && faults[field] !== undefined);
      if (first !== undefined) return event.currentTarget.querySelector<HTMLElement>(`#${first}`)?.focus();
      return onSubmit({
        token: token.trim(),
        username,
        password,
        ...(choices.access.length > 1 && { access }),
        ...(choices.samples && { samples: samplesOf(given) }),
        ...(backupTo.trim() !== '' && { backupTo: backupTo.trim() }),
        ...(country !== '' && { country }),
      });
    },
  };
}

function Country({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useTranslations('setup');
  const currency = value === '' ? undefined : currencyOf(value);
  return (
    <CountryField
      id="country"
      label={t('country')}
      description={currency === undefined ? t('countryHint') : t('currencyHint', { currency })}
      value={value}
      onChange={onChange}
    />
  );
}

/** For texts that are copied, not written. */
const PLAIN_TEXT = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

interface BackupFieldProps {
  value: string;
  isRefused: boolean;
  onChange: (value: string) => void;
}

function BackupField({ value, isRefused, onChange }: BackupFieldProps) {
  const t = useTranslations('setup');
  return (
    <TextField
      {...PLAIN_TEXT}
      id="backupTo"
      label={t('backupTo')}
      description={t('backupToHint')}
      placeholder="/mnt/backups"
      value={value}
      error={isRefused ? t('backupToFault') : undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** The URL of the SMTP server has a password, which this page does not take: the operator stores it. */
function MailHint() {
  const t = useTranslations('setup.mail');
  return (
    <details>
      <summary>{t('title')}</summary>
      <div className="stack">
        <p className="soft">{t('text')}</p>
        <pre className={setupStyles['settings']}>
          {['smtp-url = "smtps://user:password@mail.example.org"', 'mail-from = "pets@example.org"'].join('\n')}
        </pre>
        <p className="soft">{t('test')}</p>
      </div>
    </details>
  );
}

function Samples({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const t = useTranslations('setup');
  return (
    <div className={styles['choices']}>
      <label>
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
        {t('samples')}
      </label>
    </div>
  );
}
