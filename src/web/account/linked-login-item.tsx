import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { useDateTimeFormats } from '../design/date-time.tsx';
import { ConfirmDialog } from '../design/dialog.tsx';
import type { LinkedProviderView } from './account-queries.ts';
import styles from './section.module.css';

interface LinkedLoginItemProps {
  login: LinkedProviderView;
  /** The consequences, for the owner or for an administrator. */
  text: 'askText' | 'askTextOfUser';
  unlink: { isPending: boolean; mutate: (given: undefined, options: { onSettled: () => void }) => void };
}

export function LinkedLoginItem({ login, text, unlink }: LinkedLoginItemProps) {
  const t = useTranslations('signIn.providers');
  const { relativeTime, dateTime } = useDateTimeFormats();
  const [isConfirming, setConfirming] = useState(false);
  const close = () => setConfirming(false);
  const label = login.provider?.label ?? login.issuer;
  const { linkedAt, lastUsedAt } = login;
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']}>{label}</p>
        <p className={styles['itemText']}>
          {[
            t('as', { name: login.name }),
            t('linked', { when: dateTime(linkedAt) }),
            ...(lastUsedAt === undefined ? [] : [t('used', { when: relativeTime(lastUsedAt) })]),
          ].join(', ')}
        </p>
      </div>
      <Button variant="default" aria-label={t('unlinkOne', { label })} onClick={() => setConfirming(true)}>
        {t('unlink')}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t('ask', { label })}
        confirmLabel={t('unlink')}
        isDangerous
        isBusy={unlink.isPending}
        onConfirm={() => unlink.mutate(undefined, { onSettled: close })}
        onCancel={close}
      >
        {t(text)}
      </ConfirmDialog>
    </li>
  );
}
