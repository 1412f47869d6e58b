import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { readUserSearch, ROLES, USER_STATUSES, type UserSearch } from '../../../api/web/admin-addresses.ts';
import { SelectFilter, TextFilter } from '../filter-fields.tsx';
import styles from '../administration.module.css';

/** The filters of the user list. Their values are in the address. */
export function UserFilters({ search }: { search: UserSearch }) {
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
