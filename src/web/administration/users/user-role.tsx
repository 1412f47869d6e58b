import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { isSameUsername } from '../../../api/web/account-checks.ts';
import { FormError, isErrorAt } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { setCurrentUser, useCurrentUser } from '../../service/current-user.ts';
import { addressOf, ADMIN_KEY, type UserView } from '../admin-queries.ts';
import { RoleField } from './role-field.tsx';
import styles from '../administration.module.css';

/** Sets the role of a user. It applies from their next request on. */
export function UserRole({ user }: { user: UserView }) {
  const { username, role } = user;
  const t = useTranslations('administration.roles');
  const name = useTranslations('account.role');
  const lastAdmin = useTranslations('account')('lastAdmin');
  const currentUser = useCurrentUser();
  const [chosen, setChosen] = useState(role);
  const [isConfirming, setConfirming] = useState(false);
  const set = useSetRole(user);
  const isOwn = currentUser !== null && isSameUsername(currentUser.username, username);
  return (
    <Section title={t('title')}>
      <RoleField role={chosen} onChange={setChosen} />
      <FormError error={set.error} text={isErrorAt(set.error, 'conflict') ? lastAdmin : undefined} />
      <div>
        <Button disabled={chosen === role} onClick={() => setConfirming(true)}>
          {t('set')}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t('ask', { username, role: name(chosen) })}
        confirmLabel={t('set')}
        isDangerous={isOwn}
        isBusy={set.isPending}
        onConfirm={() => set.mutate(chosen, { onSettled: () => setConfirming(false) })}
        onCancel={() => setConfirming(false)}
      >
        <p className={styles['text']}>{name(`description.${chosen}`)}</p>
        <p className={styles['text']}>{isOwn ? t('own') : t('effect')}</p>
      </ConfirmDialog>
    </Section>
  );
}

function useSetRole(user: UserView) {
  const { username } = user;
  const t = useTranslations('administration.roles');
  const name = useTranslations('account.role');
  const queries = useQueryClient();
  const currentUser = useCurrentUser();
  return useAction({
    mutationFn: (role: UserView['role']) => client.setUserRole({ ...addressOf(user), body: { role } }),
    onSuccess: async (_response, role) => {
      showNotice({ text: t('done', { username, role: name(role) }) });
      if (currentUser !== null && isSameUsername(currentUser.username, username))
        setCurrentUser(queries, { ...currentUser, role });
      else await queries.invalidateQueries({ queryKey: ADMIN_KEY });
    },
  });
}
