import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { readUserSearch, ROLES, USER_STATUSES, type UserSearch } from '../../../api/web/admin-addresses.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import { Button, MoreButton } from '../../design/buttons.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { usersQuery } from '../admin-queries.ts';
import styles from '../administration.module.css';
import { SelectFilter, TextFilter } from '../filter-fields.tsx';
import { FirstSteps } from '../first-steps/first-steps.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { UserTable } from './user-table.tsx';

export function UsersPage() {
  return (
    <AdminOnly>
      <Users />
    </AdminOnly>
  );
}

const route = getRouteApi('/admin/users');

function Users() {
  const t = useTranslations('administration.users');
  const moreLabel = useTranslations('administration')('more');
  const address = route.useSearch();
  const search = useMemo(() => readUserSearch(address), [address]);
  const found = useInfiniteQuery(usersQuery(search));
  const [isAdding, setAdding] = useState(false);
  const users = found.data?.pages.flatMap(({ items }) => items);
  return (
    <AdminPage
      title={t('title')}
      actions={
        <Button leftSection={<UserPlus size="1.1em" aria-hidden />} onClick={() => setAdding(true)}>
          {t('add')}
        </Button>
      }
    >
      <UserFilters search={search} />
      <FormError error={found.error} />
      <p role="status" className={styles['count']}>
        {users && users.length > 0 && t(found.hasNextPage ? 'countMore' : 'count', { count: users.length })}
      </p>
      {users?.length === 0 && <EmptyState title={t('none')}>{t('noneText')}</EmptyState>}
      <div className="stack">
        {users && users.length > 0 && <UserTable users={users} />}
        {/* Below the list, which it would move. In the first hour, the list has one line. */}
        {users !== undefined && !found.hasNextPage && Object.keys(search).length === 0 && (
          <FirstSteps onInvite={() => setAdding(true)} />
        )}
      </div>
      <MoreButton list={found} label={moreLabel} />
      {isAdding && <NewUserDialog onClose={() => setAdding(false)} />}
    </AdminPage>
  );
}

/** The filters of the user list. Their values are in the address. */
function UserFilters({ search }: { search: UserSearch }) {
  const t = useTranslations('administration.users');
  const role = useTranslations('account.role');
  const navigate = useNavigate();
  const update = (part: Readonly<Record<string, string>>) =>
    void navigate({ to: '/admin/users', search: readUserSearch({ ...search, ...part }), replace: true });
  return (
    <search className={styles['filters']}>
      <TextFilter
        label={t('search')}
        hint={t('searchHint')}
        value={search.text}
        onChange={(text) => update({ text })}
      />
      <SelectFilter
        label={t('role')}
        anyLabel={t('anyRole')}
        choices={ROLES}
        nameOf={(each) => role(each)}
        value={search.role}
        onChange={(chosen) => update({ role: chosen })}
      />
      <SelectFilter
        label={t('state')}
        anyLabel={t('anyState')}
        choices={USER_STATUSES}
        nameOf={(status) => t(`status.${status}`)}
        value={search.userStatus}
        onChange={(userStatus) => update({ userStatus })}
      />
    </search>
  );
}
