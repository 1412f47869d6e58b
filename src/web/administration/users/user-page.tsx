import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { hasAddress } from '../../../api/web/admin-addresses.ts';
import type { LinkedProviderView } from '../../account/account-queries.ts';
import { DeleteAccount } from '../../account/delete-account.tsx';
import { FormError, isErrorAt } from '../../account/entry/form-error.tsx';
import { LinkedLoginItem } from '../../account/linked-login-item.tsx';
import { RoleBadge } from '../../account/role-badge.tsx';
import listStyles from '../../account/section.module.css';
import { Section } from '../../account/section.tsx';
import { LinkButton } from '../../design/buttons.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { showNotice } from '../../design/notices.ts';
import { usePageTitle } from '../../design/page.tsx';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import {
  addressOf,
  ADMIN_KEY,
  type UserAddress,
  userProvidersQuery,
  userQuery,
  type UserView,
} from '../admin-queries.ts';
import styles from '../administration.module.css';
import { UserAccess } from './user-access.tsx';
import { UserCredentials } from './user-credentials.tsx';
import { UserFactors } from './user-factors.tsx';
import { UserRole } from './user-role.tsx';
import { UserStatus } from './user-table.tsx';

const route = getRouteApi('/admin/users/$username');

export function UserPage() {
  const { username } = route.useParams();
  const { by } = route.useSearch();
  return (
    <AdminOnly>
      <OneUser key={`${by} ${username}`} address={by === undefined ? { username } : { username, by }} />
    </AdminOnly>
  );
}

function OneUser({ address }: { address: UserAddress }) {
  const { username } = address;
  const t = useTranslations('administration.user');
  const { data: user, error } = useQuery(userQuery(address));
  if (isErrorAt(error, 'not-found')) return <NoUser username={username} />;
  return (
    <AdminPage
      title={user?.username ?? username}
      lead={user && <UserBadges user={user} />}
      actions={
        <LinkButton to="/admin/audit" search={{ actor: user?.username ?? username }} variant="default">
          {t('activity')}
        </LinkButton>
      }
    >
      <Link to="/admin/users" activeOptions={{ exact: true }} className={styles['link']}>
        <ChevronLeft size="1.1em" aria-hidden /> {t('back')}
      </Link>
      <FormError error={error} />
      {user && <UserSections user={user} />}
    </AdminPage>
  );
}

function UserSections({ user }: { user: UserView }) {
  const t = useTranslations('administration.user');
  const navigate = useNavigate();
  const { username } = user;
  return (
    <>
      <Facts user={user} />
      <UserRole key={user.role} user={user} />
      <UserAccess user={user} />
      <UserFactors user={user} />
      <UserProviders user={user} />
      <UserCredentials user={user} />
      {hasAddress(username) && (
        <DeleteAccount
          username={username}
          lead={t('deleteText')}
          onDeleted={() => navigate({ to: '/admin/users', replace: true })}
        />
      )}
    </>
  );
}

function UserBadges({ user }: { user: UserView }) {
  return (
    <p className="row">
      <RoleBadge role={user.role} /> <UserStatus user={user} />
    </p>
  );
}

function Facts({ user }: { user: UserView }) {
  const t = useTranslations('administration.user');
  const profile = useTranslations('account.profile');
  const facts = [
    [profile('firstName'), user.firstName],
    [profile('lastName'), user.lastName],
    [profile('email'), user.email],
    [profile('phone'), user.phone],
    [t('password'), t(user.invitation === undefined ? 'passwordSet' : 'passwordMissing')],
    [t('id'), String(user.id)],
    [t('accountId'), String(user.accountId)],
  ].filter(([, value]) => value !== undefined && value !== '');
  return (
    <Section title={profile('title')}>
      <dl className={styles['facts']}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function NoUser({ username }: { username: string }) {
  const t = useTranslations('administration.user');
  usePageTitle(t('missing'));
  return (
    <EmptyState level={1} title={t('missing')} actions={<LinkButton to="/admin/users">{t('back')}</LinkButton>}>
      {t('missingText', { username })}
    </EmptyState>
  );
}

/** The logins at providers of a user; nothing without one. */
function UserProviders({ user }: { user: UserView }) {
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
