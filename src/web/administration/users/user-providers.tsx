import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { LinkedLoginItem } from '../../account/linked-login-item.tsx';
import type { LinkedProviderView } from '../../account/account-queries.ts';
import { Section } from '../../account/section.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { addressOf, ADMIN_KEY, userProvidersQuery, type UserView } from '../admin-queries.ts';
import listStyles from '../../account/section.module.css';

/** The logins at providers of a user; nothing without one. */
export function UserProviders({ user }: { user: UserView }) {
  const t = useTranslations('signIn.providers');
  const { data: logins = [], error } = useQuery(userProvidersQuery(user));
  if (logins.length === 0 && error === null) return null;
  return (
    <Section title={t('title')}>
      <FormError error={error} />
      <ul className={listStyles['list']}>
        {logins.map((login) => (
          <Item key={login.id} user={user} login={login} />
        ))}
      </ul>
    </Section>
  );
}

function Item({ user, login }: { user: UserView; login: LinkedProviderView }) {
  const t = useTranslations('signIn.providers');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const unlink = useAction({
    mutationFn: () => client.unlinkUserProvider({ ...addressOf(user), loginId: login.id }),
    onSuccess: () => showNotice({ text: t('done') }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: ADMIN_KEY }),
  });
  return <LinkedLoginItem login={login} text="askTextOfUser" unlink={unlink} />;
}
