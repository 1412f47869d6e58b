import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { findProfileFaults, type ProfileField } from '../../api/web/account-checks.ts';
import { Button } from '../design/buttons.tsx';
import { TextField, UsernameField } from '../design/fields/field.tsx';
import { showNotice } from '../design/notices.ts';
import { moveDrafts } from '../editing/form-state/draft-storage.ts';
import { useAction } from '../service/action.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { client } from '../service/client.ts';
import { setCurrentUser, storageOwnerOf } from '../service/current-user.ts';
import { ACCOUNT_KEY, type AccountView } from './account-queries.ts';
import styles from './entry/account.module.css';
import { FormError, isErrorAt } from './entry/form-error.tsx';
import { Section } from './section.tsx';

type Profile = Record<ProfileField, string>;

const FIELDS = [
  { field: 'firstName', autoComplete: 'given-name', type: 'text' },
  { field: 'lastName', autoComplete: 'family-name', type: 'text' },
  { field: 'email', autoComplete: 'email', type: 'email' },
  { field: 'phone', autoComplete: 'tel', type: 'tel' },
] as const;

export function ProfileForm({ account }: { account: AccountView }) {
  const t = useTranslations('account');
  const [profile, setProfile] = useState<Profile>(() => profileOf(account));
  const save = useSaveProfile(account);
  const faults = findProfileFaults(profile, account.username);
  const isTaken = isErrorAt(save.error, 'conflict');
  const change = (field: ProfileField, value: string) => {
    save.reset();
    setProfile({ ...profile, [field]: value });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (Object.keys(faults).length === 0) save.mutate(profile);
    else event.currentTarget.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  };
  return (
    <Section title={t('profile.title')}>
      <form className="stack" onSubmit={submit} noValidate>
        <UsernameField
          label={t('username')}
          value={profile.username}
          description={t('advice.usernameHint')}
          error={isTaken ? t('profile.taken') : faults.username && t(`fault.username.${faults.username}`)}
          onChange={({ currentTarget }) => change('username', currentTarget.value)}
        />
        <div className={styles['pair']}>
          {FIELDS.map(({ field, autoComplete, type }) => (
            <TextField
              key={field}
              label={t(`profile.${field}`)}
              type={type}
              autoComplete={autoComplete}
              value={profile[field]}
              error={faults[field] && t('fault.field')}
              onChange={({ currentTarget }) => change(field, currentTarget.value)}
            />
          ))}
        </div>
        <FormError error={isTaken ? null : save.error} />
        <div>
          <Button type="submit" loading={save.isPending}>
            {t('profile.save')}
          </Button>
        </div>
      </form>
      {bootstrap.mail === true && <EmailState key={account.email} account={account} />}
    </Section>
  );
}

function profileOf({ username, firstName = '', lastName = '', email = '', phone = '' }: AccountView): Profile {
  return { username, firstName, lastName, email, phone };
}

function useSaveProfile({ username, userStatus, role }: AccountView) {
  const t = useTranslations('account.profile');
  const queries = useQueryClient();
  return useAction({
    // The request replaces the whole profile: it includes `userStatus`, which the form does not show, and omits empty
    // fields.
    mutationFn: (profile: Profile) =>
      client.updateUser({
        username,
        body: {
          ...Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== '')),
          ...(userStatus !== undefined && { userStatus }),
        },
      }),
    onSuccess: async (_response, profile) => {
      if (profile.username !== username) {
        const renamed = profile.username.normalize('NFC');
        moveDrafts(storageOwnerOf(username), storageOwnerOf(renamed));
        setCurrentUser(queries, { username: renamed, role });
      }
      await queries.invalidateQueries({ queryKey: ACCOUNT_KEY });
      showNotice({ text: t('saved') });
    },
  });
}

/** Whether the e-mail address of the account is confirmed, and a button that sends the link again. */
function EmailState({ account: { email, confirmedEmail } }: { account: AccountView }) {
  const t = useTranslations('account.emailState');
  const send = useAction({ mutationFn: () => client.requestEmailConfirmation() });
  if (email === undefined) return <p className="soft">{t('none')}</p>;
  if (confirmedEmail?.toLowerCase() === email.toLowerCase()) return <p className="soft">{t('confirmed', { email })}</p>;
  return (
    <div className="stack">
      <p className="note" role="status">
        {send.isSuccess ? t('sent', { email }) : t('unconfirmed', { email })}{' '}
        {confirmedEmail !== undefined && t('former', { email: confirmedEmail })}
      </p>
      <FormError error={send.error} />
      <div>
        <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
          {t('send')}
        </Button>
      </div>
    </div>
  );
}
