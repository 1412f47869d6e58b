import { useState, type ComponentProps } from 'react';
import { useTranslations } from 'use-intl';
import { advisePassword, type PasswordAdvice, type PasswordFault } from '../../../api/web/password-advice.ts';
import { PasswordField } from '../../design/fields/password-field.tsx';
import { bootstrap } from '../../service/bootstrap.ts';
import styles from './account.module.css';

type NewPasswordFieldProps = Pick<ComponentProps<'input'>, 'name' | 'id'> & {
  label: string;
  username: string;
  value: string;
  onChange: (password: string) => void;
  /** The fault to report immediately: of a submitted form, or `guessable` if the service refused the password. */
  shownFault?: PasswordFault | 'missing' | undefined;
};

/** Finds what is wrong with a new password, as far as the page can check it. */
export function findFault(password: string, username: string): PasswordFault | undefined {
  return advisePassword(bootstrap, password, username).fault;
}

/** Gives advice while the user types, and reports errors on blur. */
export function NewPasswordField({ label, username, value, onChange, shownFault, ...input }: NewPasswordFieldProps) {
  const t = useTranslations('account.fault.password');
  const [isLeft, setLeft] = useState(false);
  const advice = advisePassword(bootstrap, value, username);
  const fault = shownFault ?? (isLeft && value !== '' ? advice.fault : undefined);
  return (
    <PasswordField
      {...input}
      label={label}
      autoComplete="new-password"
      required
      value={value}
      error={fault && t(fault, { min: bootstrap.minPasswordLength })}
      description={<Advice advice={advice} isEmpty={value === ''} />}
      onChange={({ currentTarget }) => {
        setLeft(false);
        onChange(currentTarget.value);
      }}
      onBlur={() => setLeft(true)}
    />
  );
}

function Advice({ advice: { fault, missing }, isEmpty }: { advice: PasswordAdvice; isEmpty: boolean }) {
  const t = useTranslations('account.advice');
  const min = bootstrap.minPasswordLength;
  if (bootstrap.access !== 'secured') return t('free');
  const isGood = !isEmpty && fault === undefined;
  return (
    <span className={styles['advice']} data-good={isGood || undefined}>
      <span className={styles['meter']} aria-hidden>
        <span style={{ inlineSize: `${Math.min(1, (min - missing) / min) * 100}%` }} />
      </span>
      {isEmpty && t('start', { min })}
      {!isEmpty && fault === 'too-short' && t('more', { missing })}
      {fault === 'guessable' && t('guessable')}
      {fault === 'too-long' && t('long')}
      {isGood && t('good')}
    </span>
  );
}
