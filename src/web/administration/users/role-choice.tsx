import { useId } from 'react';
import { useTranslations } from 'use-intl';
import { ROLES, type Role } from '../../../api/web/admin-addresses.ts';
import styles from '../administration.module.css';

interface RoleChoiceProps {
  role: Role;
  onChange: (role: Role) => void;
}

/** Each role with what it allows. */
export function RoleChoice({ role, onChange }: RoleChoiceProps) {
  const t = useTranslations('administration.roles');
  const name = useTranslations('account.role');
  const group = useId();
  return (
    <fieldset className={styles['roles']}>
      <legend>{t('legend')}</legend>
      {ROLES.map((each) => (
        <label key={each} className={styles['role']}>
          <input
            type="radio"
            name={group}
            checked={each === role}
            aria-describedby={`${group}-${each}`}
            onChange={() => onChange(each)}
          />
          <strong>{name(each)}</strong>
          <span id={`${group}-${each}`}>{t(each)}</span>
        </label>
      ))}
    </fieldset>
  );
}
