import { useQueryClient } from '@tanstack/react-query';
import { useId, useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { Button } from '../design/buttons.tsx';
import { FieldNotes } from '../design/fields/field.tsx';
import { PasswordField } from '../design/fields/password-field.tsx';
import { showNotice } from '../design/notices.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { ACCOUNT_KEY, type AccountView } from './account-queries.ts';
import { FormError, isErrorAt } from './entry/form-error.tsx';
import { findFault, NewPasswordField } from './entry/new-password-field.tsx';
import { Section } from './section.tsx';
import styles from './entry/account.module.css';

const NOTHING = { oldPassword: '', newPassword: '', revokeKeys: true };

/** Changes the password, or sets the first one of an account that has none. */
export function PasswordForm({ account: { username, hasNoPassword } }: { account: AccountView }) {
  const isFirst = hasNoPassword === true;
  const t = useTranslations('account');
  const [given, setGiven] = useState(NOTHING);
  const [isSubmitted, setSubmitted] = useState(false);
  const change = useChangePassword(isFirst, () => {
    setGiven(NOTHING);
    setSubmitted(false);
  });
  const isOldMissing = !isFirst && given.oldPassword === '';
  const oldFault = isSubmitted && isOldMissing;
  const newFault = given.newPassword === '' ? 'missing' : findFault(given.newPassword, username);
  const isWrongOld = isErrorAt(change.error, '/oldPassword');
  const isRefused = isErrorAt(change.error, '/newPassword');
  const type = (part: Partial<typeof NOTHING>) => {
    change.reset();
    setGiven({ ...given, ...part });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (!isOldMissing && newFault === undefined) change.mutate(given);
  };
  return (
    <Section title={t('changePassword.title')} lead={t(isFirst ? 'changePassword.firstLead' : 'changePassword.lead')}>
      <form className="stack" onSubmit={submit} noValidate>
        {/* The username for password managers. */}
        <input hidden readOnly autoComplete="username" value={username} />
        {!isFirst && (
          <PasswordField
            label={t('changePassword.old')}
            autoComplete="current-password"
            required
            value={given.oldPassword}
            error={isWrongOld ? t('changePassword.wrongOld') : oldFault ? t('fault.password.missing') : undefined}
            onChange={({ currentTarget }) => type({ oldPassword: currentTarget.value })}
          />
        )}
        <NewPasswordField
          label={t('changePassword.new')}
          username={username}
          value={given.newPassword}
          onChange={(newPassword) => type({ newPassword })}
          shownFault={isRefused ? 'guessable' : isSubmitted ? newFault : undefined}
        />
        {!isFirst && <RevokeKeysField isChosen={given.revokeKeys} onChange={(revokeKeys) => type({ revokeKeys })} />}
        <PasswordError error={isWrongOld || isRefused ? null : change.error} />
        <div>
          <Button type="submit" loading={change.isPending}>
            {t(isFirst ? 'changePassword.firstSubmit' : 'changePassword.submit')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function PasswordError({ error }: { error: Error | null }) {
  const t = useTranslations('signIn.error');
  const isUnproved = error instanceof MenagerieError && error.proof !== undefined;
  return <FormError error={error} text={isUnproved ? t('unproved') : undefined} />;
}

interface RevokeKeysFieldProps {
  isChosen: boolean;
  onChange: (isChosen: boolean) => void;
}

function RevokeKeysField({ isChosen, onChange }: RevokeKeysFieldProps) {
  const t = useTranslations('account.changePassword');
  const id = useId();
  return (
    <div className={styles['choices']}>
      <label>
        <input
          type="checkbox"
          checked={isChosen}
          aria-describedby={`${id}-description`}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {t('revokeKeys')}
      </label>
      <FieldNotes id={id} description={t('revokeKeysHint')} />
    </div>
  );
}

function useChangePassword(isFirst: boolean, onDone: () => void) {
  const t = useTranslations('account.changePassword');
  const queries = useQueryClient();
  return useAction({
    mutationFn: ({ newPassword, ...given }: typeof NOTHING) =>
      client.changePassword({ body: isFirst ? { newPassword, revokeKeys: false } : { newPassword, ...given } }),
    onSuccess: (_response, { revokeKeys }) => {
      onDone();
      showNotice({ text: t(isFirst ? 'firstDone' : revokeKeys ? 'doneWithKeys' : 'done') });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ACCOUNT_KEY }),
  });
}
