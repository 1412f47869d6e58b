import { useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { findProfileFaults } from '../../../api/web/account-checks.ts';
import { DEFAULT_ROLE, type Role } from '../../../api/web/admin-addresses.ts';
import { FormError, isErrorAt } from '../../account/entry/form-error.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField, UsernameField } from '../../design/fields/field.tsx';
import { useAction } from '../../service/action.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { client } from '../../service/client.ts';
import { ADMIN_KEY } from '../admin-queries.ts';
import { ResetLinkDialog } from './reset-link-dialog.tsx';
import { RoleField } from './role-field.tsx';
import styles from '../administration.module.css';

interface NewUser {
  username: string;
  role: Role;
  email?: string;
}

/** Invites a user, who chooses the password. The administrator never knows it. */
export function NewUserDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('administration.newUser');
  const queries = useQueryClient();
  const add = useAction({
    mutationFn: async (body: NewUser) => ({ username: body.username, invitation: await client.inviteUser({ body }) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ADMIN_KEY }),
  });
  if (add.data !== undefined) {
    const { username, invitation } = add.data;
    const { link, expiresAt, sentTo = '' } = invitation;
    if (link === undefined) return <SentDialog username={username} sentTo={sentTo} onClose={onClose} />;
    return <ResetLinkDialog isInvitation username={username} link={{ link, expiresAt }} onClose={onClose} />;
  }
  return (
    <Dialog isOpen onClose={onClose} title={t('title')} isClosable={!add.isPending}>
      <NewUserForm
        isBusy={add.isPending}
        error={add.error}
        onChange={() => add.reset()}
        onSubmit={(user) => add.mutate(user)}
      />
    </Dialog>
  );
}

/** The link was sent by e-mail. */
function SentDialog({ username, sentTo, onClose }: { username: string; sentTo: string; onClose: () => void }) {
  const t = useTranslations('administration.newUser.sent');
  const done = <Button onClick={onClose}>{t('done')}</Button>;
  return (
    <Dialog isOpen onClose={onClose} title={t('title', { username })} actions={done}>
      <p>{t('text', { sentTo })}</p>
    </Dialog>
  );
}

interface NewUserFormProps {
  isBusy: boolean;
  error: Error | null;
  onChange: () => void;
  onSubmit: (user: NewUser) => void;
}

function NewUserForm({ isBusy, error, onChange, onSubmit }: NewUserFormProps) {
  const t = useTranslations('administration.newUser');
  const account = useTranslations('account');
  const [username, setUsername] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>(DEFAULT_ROLE);
  const [isSubmitted, setSubmitted] = useState(false);
  const fault = findProfileFaults({ username }).username;
  const isTaken = isErrorAt(error, 'conflict');
  const isMalformed = isErrorAt(error, '/email');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (fault === undefined) onSubmit({ username, role, ...(email !== '' && { email }) });
  };
  const isShown = isSubmitted || username !== '';
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <p className={styles['text']}>{t('text')}</p>
      <UsernameField
        label={account('username')}
        autoComplete="off"
        data-autofocus
        value={username}
        error={isTaken ? account('signUp.taken') : isShown && fault ? account(`fault.username.${fault}`) : undefined}
        onChange={({ currentTarget }) => {
          onChange();
          setUsername(currentTarget.value);
        }}
      />
      {bootstrap.mail === true && (
        <TextField
          label={t('email')}
          description={t('emailHint')}
          type="email"
          autoComplete="off"
          value={email}
          error={isMalformed ? account('forgot.malformed') : undefined}
          onChange={({ currentTarget }) => {
            onChange();
            setEmail(currentTarget.value.trim());
          }}
        />
      )}
      <RoleField role={role} onChange={setRole} />
      <FormError error={isTaken || isMalformed ? null : error} />
      <Button type="submit" loading={isBusy}>
        {t('submit')}
      </Button>
    </form>
  );
}
