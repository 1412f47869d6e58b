import { useId } from 'react';
import { useTranslations } from 'use-intl';
import { ROLES, type Role } from '../../../api/web/admin-addresses.ts';
import styles from '../administration.module.css';

interface RoleFieldProps {
  role: Role;
  onChange: (role: Role) => void;
}

/** Radio buttons for the roles, with the permissions of each. */
export function RoleField({ role: chosen, onChange }: RoleFieldProps) {
  const t = useTranslations('administration.roles');
  const role = useTranslations('account.role');
  const group = useId();
  return (
    <fieldset className={styles['roles']}>
      <legend>{t('legend')}</legend>
      {ROLES.map((each) => (
        <label key={each} className={styles['role']}>
          <input
            type="radio"
            name={group}
            checked={each === chosen}
            aria-describedby={`${group}-${each}`}
            onChange={() => onChange(each)}
          />
          <strong>{role(each)}</strong>
          <span id={`${group}-${each}`}>{role(`description.${each}`)}</span>
        </label>
      ))}
    </fieldset>
  );
}
