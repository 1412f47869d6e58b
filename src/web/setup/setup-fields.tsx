import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { findProfileFaults } from '../../api/web/account-checks.ts';
import type { AccessMode, SetupChoices } from '../../api/web/bootstrap.ts';
import { MenagerieError } from '../../client/failures.ts';
import { findFault, NewPasswordField } from '../account/entry/new-password-field.tsx';
import { FormError, isErrorAt } from '../account/entry/form-error.tsx';
import { TextField, UsernameField } from '../design/fields/field.tsx';
import { bootstrap } from '../service/bootstrap.ts';
import { AccessField } from './access-field.tsx';
import type { SetupForm } from './setup-request.ts';
import styles from '../account/entry/account.module.css';

interface SetupFieldsProps {
  /** Of the address; may be empty. */
  token: string;
  choices: SetupChoices;
  isBusy: boolean;
  error: Error | null;
  onSubmit: (form: SetupForm) => void;
}

const FIELDS = ['token', 'username', 'password', 'backupTo'] as const;

export function SetupFields({ token: given, choices, isBusy, error, onSubmit }: SetupFieldsProps) {
  const t = useTranslations('setup');
  const account = useTranslations('account');
  const [token, setToken] = useState(given);
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [access, setAccess] = useState<AccessMode>('secured');
  const [samples, setSamples] = useState(true);
  const [backupTo, setBackupTo] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const isTokenWrong = error instanceof MenagerieError && error.code === 'forbidden';
  const faults = {
    token: token === '' ? ('missing' as const) : undefined,
    username: findProfileFaults({ username }).username,
    password: password === '' ? ('missing' as const) : findFault(password, username),
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    const first = FIELDS.find((field) => field !== 'backupTo' && faults[field] !== undefined);
    if (first !== undefined) return event.currentTarget.querySelector<HTMLElement>(`#${first}`)?.focus();
    return onSubmit({
      token: token.trim(),
      username,
      password,
      ...(choices.access.length > 1 && { access }),
      ...(choices.samples && { samples }),
      ...(backupTo.trim() !== '' && { backupTo: backupTo.trim() }),
    });
  };
  const hasFieldError = isTokenWrong || FIELDS.some((field) => isErrorAt(error, `/${field}`));
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <TextField
        id="token"
        label={t('token')}
        description={t('tokenHint')}
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={token}
        error={isTokenWrong ? t('tokenWrong') : isSubmitted && faults.token ? t('tokenMissing') : undefined}
        onChange={({ currentTarget }) => setToken(currentTarget.value)}
      />
      <UsernameField
        id="username"
        label={account('username')}
        name="username"
        value={username}
        error={isSubmitted && faults.username ? account(`fault.username.${faults.username}`) : undefined}
        onChange={({ currentTarget }) => setUsername(currentTarget.value)}
      />
      <NewPasswordField
        id="password"
        label={account('password')}
        name="password"
        username={username}
        value={password}
        onChange={setPassword}
        error={
          isErrorAt(error, '/password')
            ? account('fault.password.guessable')
            : isSubmitted && faults.password
              ? account(`fault.password.${faults.password}`, { min: bootstrap.minPasswordLength })
              : undefined
        }
      />
      <AccessField choices={choices.access} access={access} onChange={setAccess} />
      {choices.samples && <Samples isOn={samples} onChange={setSamples} />}
      {choices.backupTo && (
        <TextField
          id="backupTo"
          label={t('backupTo')}
          description={t('backupToHint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="/mnt/backups"
          value={backupTo}
          error={isErrorAt(error, '/backupTo') ? t('backupToFault') : undefined}
          onChange={({ currentTarget }) => setBackupTo(currentTarget.value)}
        />
      )}
      <FormError error={hasFieldError ? null : error} text={isErrorAt(error, 'conflict') ? t('conflict') : undefined} />
      <Button type="submit" loading={isBusy}>
        {t('submit')}
      </Button>
    </form>
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
