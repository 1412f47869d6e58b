import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Badge } from '../../design/badge.tsx';
import { hasAddress, USER_STATUS_CLOSED, USER_STATUSES } from '../../../api/web/admin-addresses.ts';
import { RoleBadge } from '../../account/role-badge.tsx';
import type { UserView } from '../admin-queries.ts';
import styles from './user-table.module.css';

/** On small screens, each row is a card. */
export function UserTable({ users }: { users: readonly UserView[] }) {
  const t = useTranslations('administration.users');
  return (
    <table className={styles['table']}>
      <thead>
        <tr>
          {(['name', 'person', 'email', 'role', 'state'] as const).map((column) => (
            <th key={column} scope="col">
              {t(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <UserRow key={String(user.accountId)} user={user} />
        ))}
      </tbody>
    </table>
  );
}

function UserRow({ user }: { user: UserView }) {
  const { accountId, username, firstName, lastName, email, role } = user;
  const person = [firstName, lastName].filter((each) => each !== undefined && each !== '').join(' ');
  return (
    <tr>
      <th scope="row">
        <Link
          to="/admin/users/$username"
          {...(hasAddress(username)
            ? { params: { username } }
            : { params: { username: String(accountId) }, search: { by: 'accountId' } })}
        >
          {username}
        </Link>
      </th>
      <td data-empty={person === '' || undefined}>{person}</td>
      <td data-empty={!email || undefined}>{email}</td>
      <td>
        <RoleBadge role={role} />
      </td>
      <td>
        <UserStatus user={user} />
      </td>
    </tr>
  );
}

/** Of the stored statuses, only `closed` has a meaning; other values are stored as clients send them. */
export function UserStatus({ user: { userStatus: status, invitation } }: { user: UserView }) {
  const t = useTranslations('administration.users');
  const known = USER_STATUSES.find((each) => each === status);
  const isInvited = invitation !== undefined && status !== USER_STATUS_CLOSED;
  return (
    <Badge tone={status === USER_STATUS_CLOSED ? 'danger' : 'neutral'}>
      {isInvited ? t('status.invited') : known === undefined ? t('status.none') : t(`status.${known}`)}
    </Badge>
  );
}
