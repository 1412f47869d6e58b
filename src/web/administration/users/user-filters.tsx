import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { readUserSearch, ROLES, USER_STATUSES, type UserSearch } from '../../../api/web/admin-addresses.ts';
import { SelectField } from '../../design/fields/field.tsx';
import { SearchField } from '../search-field.tsx';
import styles from '../administration.module.css';

/** What is looked for stands in the address. */
export function UserFilters({ search }: { search: UserSearch }) {
  const t = useTranslations('administration.users');
  const role = useTranslations('account.role');
  const navigate = useNavigate();
  const look = (part: Readonly<Record<string, string>>) =>
    void navigate({ to: '/admin/users', search: readUserSearch({ ...search, ...part }), replace: true });
  return (
    <search className={styles['filters']}>
      <SearchField label={t('search')} hint={t('searchHint')} value={search.text} onChange={(text) => look({ text })} />
      <SelectField
        label={t('role')}
        value={search.role ?? ''}
        onChange={({ currentTarget }) => look({ role: currentTarget.value })}
      >
        <option value="">{t('anyRole')}</option>
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {role(each)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t('state')}
        value={search.userStatus ?? ''}
        onChange={({ currentTarget }) => look({ userStatus: currentTarget.value })}
      >
        <option value="">{t('anyState')}</option>
        {USER_STATUSES.map((status) => (
          <option key={status} value={status}>
            {t(`status.${status}`)}
          </option>
        ))}
      </SelectField>
    </search>
  );
}
