import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { FieldNotes } from '../design/fields/field.tsx';
import { PasswordField } from '../design/fields/password-field.tsx';
import { showNotice } from '../design/notices.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { client } from '../service/client.ts';
import { ACCOUNT_KEY } from './account-queries.ts';
import { FormTrouble, problemAt } from './form-trouble.tsx';
import { findFault, NewPasswordField } from './entry/new-password-field.tsx';
import { Section } from './section.tsx';
import styles from './account.module.css';

const NOTHING = { oldPassword: '', newPassword: '', revokeKeys: true };

export function PasswordForm({ username }: { username: string }) {
  const t = useTranslations('account');
  const [given, setGiven] = useState(NOTHING);
  const [isAsked, setAsked] = useState(false);
  const change = useChangePassword(() => {
    setGiven(NOTHING);
    setAsked(false);
  });
  const oldFault = isAsked && given.oldPassword === '';
  const newFault = given.newPassword === '' ? 'missing' : findFault(given.newPassword, username);
  const isWrongOld = problemAt(change.error, '/oldPassword');
  const isRefused = problemAt(change.error, '/newPassword');
  const type = (part: Partial<typeof NOTHING>) => {
    change.reset();
    setGiven({ ...given, ...part });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setAsked(true);
    if (given.oldPassword !== '' && newFault === undefined && !change.isPending) change.mutate(given);
  };
  return (
    <Section title={t('changePassword.title')} lead={t('changePassword.lead')}>
      <form className={styles['form']} onSubmit={submit} noValidate>
        {/* Password managers want to know whose password it is. */}
        <input hidden readOnly autoComplete="username" value={username} />
        <PasswordField
          label={t('changePassword.old')}
          autoComplete="current-password"
          required
          value={given.oldPassword}
          error={isWrongOld ? t('changePassword.wrongOld') : oldFault ? t('fault.password.missing') : undefined}
          onChange={({ currentTarget }) => type({ oldPassword: currentTarget.value })}
        />
        <NewPasswordField
          label={t('changePassword.new')}
          username={username}
          value={given.newPassword}
          onChange={(newPassword) => type({ newPassword })}
          error={
            isRefused
              ? t('fault.password.guessable')
              : isAsked && newFault !== undefined
                ? t(`fault.password.${newFault}`, { min: bootstrap.minPasswordLength })
                : undefined
          }
        />
        <RevokeKeysChoice isChosen={given.revokeKeys} onChange={(revokeKeys) => type({ revokeKeys })} />
        <FormTrouble error={isWrongOld || isRefused ? null : change.error} />
        <div>
          <Button type="submit" loading={change.isPending}>
            {t('changePassword.submit')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

interface RevokeKeysChoiceProps {
  isChosen: boolean;
  onChange: (isChosen: boolean) => void;
}

function RevokeKeysChoice({ isChosen, onChange }: RevokeKeysChoiceProps) {
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

function useChangePassword(onDone: () => void) {
  const t = useTranslations('account.changePassword');
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: typeof NOTHING) => client.changePassword({ body }),
    onSuccess: async (_answer, { revokeKeys }) => {
      onDone();
      showNotice({ text: t(revokeKeys ? 'doneWithKeys' : 'done') });
      await queries.invalidateQueries({ queryKey: ACCOUNT_KEY });
    },
  });
}
