import { useId } from 'react';
import { useTranslations } from 'use-intl';
import type { KeyScope } from '../../api/web/account-checks.ts';
import { FieldNotes } from '../design/fields/field.tsx';
import styles from './entry/account.module.css';

interface ScopeChoicesProps<S extends KeyScope> {
  offered: readonly S[];
  chosen: readonly S[];
  error: string | undefined;
  onChange: (chosen: readonly S[]) => void;
}

export function ScopeChoices<S extends KeyScope>({ offered, chosen, error, onChange }: ScopeChoicesProps<S>) {
  const t = useTranslations('account.keys');
  const textOf = (scope: KeyScope) => t(`scope.${scope}`);
  const id = useId();
  return (
    <fieldset className={styles['choices']} aria-describedby={error === undefined ? undefined : `${id}-error`}>
      <legend>{t('scopes')}</legend>
      {offered.map((scope) => (
        <label key={scope}>
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={({ currentTarget }) =>
              onChange(offered.filter((each) => (each === scope ? currentTarget.checked : chosen.includes(each))))
            }
          />
          {textOf(scope)}
        </label>
      ))}
      <FieldNotes id={id} error={error} />
    </fieldset>
  );
}
