import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { EmptyState } from '../../design/empty-state.tsx';
import { FormError } from '../../account/entry/form-error.tsx';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { usersQuery } from '../admin-queries.ts';
import { Button, MoreButton } from '../../design/buttons.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { UserFilters } from './user-filters.tsx';
import { UserTable } from './user-table.tsx';
import styles from '../administration.module.css';

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
  const search = route.useSearch();
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
      {users && users.length > 0 && <UserTable users={users} />}
      <MoreButton list={found} label={moreLabel} />
      {isAdding && <NewUserDialog onClose={() => setAdding(false)} />}
    </AdminPage>
  );
}
