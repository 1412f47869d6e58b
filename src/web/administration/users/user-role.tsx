import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isSameUsername } from '../../../api/web/account-checks.ts';
import { FormTrouble, problemAt } from '../../account/form-trouble.tsx';
import { Section } from '../../account/section.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { showNotice } from '../../design/notices.ts';
import { client } from '../../service/client.ts';
import { setCurrentUser, useCurrentUser } from '../../service/current-user.ts';
import { addressOf, ADMIN_KEY, type UserView } from '../admin-queries.ts';
import { RoleChoice } from './role-choice.tsx';
import styles from '../administration.module.css';

/** What somebody may do. It holds from their very next request on. */
export function UserRole({ user }: { user: UserView }) {
  const { username, role } = user;
  const t = useTranslations('administration.roles');
  const name = useTranslations('account.role');
  const lastAdmin = useTranslations('account')('lastAdmin');
  const currentUser = useCurrentUser();
  const [chosen, setChosen] = useState(role);
  const [isAsking, setAsking] = useState(false);
  const set = useSetRole(user);
  const isOwn = currentUser !== null && isSameUsername(currentUser.username, username);
  return (
    <Section title={t('title')}>
      <RoleChoice role={chosen} onChange={setChosen} />
      <FormTrouble error={set.error} text={problemAt(set.error, 'conflict') ? lastAdmin : undefined} />
      <div>
        <Button disabled={chosen === role} onClick={() => setAsking(true)}>
          {t('set')}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('ask', { username, role: name(chosen) })}
        confirmLabel={t('set')}
        isDangerous={isOwn}
        isBusy={set.isPending}
        onConfirm={() => set.mutate(chosen, { onSettled: () => setAsking(false) })}
        onCancel={() => setAsking(false)}
      >
        <p className={styles['text']}>{name(`description.${chosen}`)}</p>
        <p className={styles['text']}>{isOwn ? t('own') : t('atOnce')}</p>
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
  return useMutation({
    mutationFn: (role: UserView['role']) => client.setUserRole({ ...addressOf(user), body: { role } }),
    onSuccess: async (_answer, role) => {
      showNotice({ text: t('done', { username, role: name(role) }) });
      if (currentUser !== null && isSameUsername(currentUser.username, username))
        setCurrentUser(queries, { ...currentUser, role });
      else await queries.invalidateQueries({ queryKey: ADMIN_KEY });
    },
  });
}
