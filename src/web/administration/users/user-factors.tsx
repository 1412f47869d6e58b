import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { Button } from '../../design/buttons.tsx';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { addressOf, ADMIN_KEY, userFactorsQuery, type UserFactorsView, type UserView } from '../admin-queries.ts';
import styles from '../administration.module.css';

/** The second factors of a user, which an administrator can only delete. */
export function UserFactors({ user }: { user: UserView }) {
  const { username } = user;
  const t = useTranslations('administration.factors');
  const { data: factors, error } = useQuery(userFactorsQuery(user));
  const [isConfirming, setConfirming] = useState(false);
  const reset = useReset(user);
  const close = () => setConfirming(false);
  const hasSome = factors !== undefined && (factors.totp !== undefined || factors.passkeys.length > 0);
  return (
    <Section
      title={t('title')}
      {...(factors !== undefined && !hasSome && { lead: t(factors.required ? 'missing' : 'none') })}
      actions={
        hasSome && (
          <Button variant="default" onClick={() => setConfirming(true)}>
            {t('reset')}
          </Button>
        )
      }
    >
      <FormError error={error ?? reset.error} />
      {hasSome && <FactorFacts factors={factors} />}
      <ConfirmDialog
        isOpen={isConfirming}
        title={t('ask', { username })}
        confirmLabel={t('reset')}
        isDangerous
        isBusy={reset.isPending}
        onConfirm={() => reset.mutate(undefined, { onSettled: close })}
        onCancel={close}
      >
        <p className={styles['text']}>{t('text')}</p>
        <p className={styles['text']}>{t('check')}</p>
      </ConfirmDialog>
    </Section>
  );
}

function FactorFacts({ factors: { totp, passkeys, recoveryCodes } }: { factors: UserFactorsView }) {
  const t = useTranslations('administration.factors');
  const { dateTime, relativeTime } = useDateTimeFormats();
  return (
    <dl className={styles['facts']}>
      {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
        <div key={id}>
          <dt>{t('passkey')}</dt>
          <dd>
            {name},{' '}
            {lastUsedAt === undefined
              ? t('created', { when: dateTime(createdAt) })
              : t('used', { when: relativeTime(lastUsedAt) })}
          </dd>
        </div>
      ))}
      {totp && (
        <div>
          <dt>{t('totp')}</dt>
          <dd>{t('created', { when: dateTime(totp.createdAt) })}</dd>
        </div>
      )}
      <div>
        <dt>{t('codes')}</dt>
        <dd>{t('left', { ...recoveryCodes })}</dd>
      </div>
    </dl>
  );
}

function useReset(user: UserView) {
  const t = useTranslations('administration.factors');
  const queries = useQueryClient();
  return useAction({
    mutationFn: () => client.resetUserFactors(addressOf(user)),
    onSuccess: async () => {
      showNotice({ text: t('done', { username: user.username }) });
      await queries.invalidateQueries({ queryKey: ADMIN_KEY });
    },
  });
}
