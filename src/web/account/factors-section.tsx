import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/buttons.tsx';
import { useDateTimeFormats } from '../design/date-time.tsx';
import { ConfirmDialog } from '../design/dialog.tsx';
import { showNotice } from '../design/notices.ts';
import { client } from '../service/client.ts';
import { FormError } from './entry/form-error.tsx';
import { hasPasskeys } from './entry/passkeys.ts';
import { factorsQuery, type FactorsView } from './factors/factor-queries.ts';
import { NewFactorDialog, RecoveryCodesDialog } from './factors/new-factor-dialog.tsx';
import { useFactorChange } from './factors/use-factor-change.ts';
import { PasskeyItem } from './passkey-item.tsx';
import { Section } from './section.tsx';
import styles from './section.module.css';

export function FactorsSection() {
  const t = useTranslations('signIn');
  const { data: factors, error } = useQuery(factorsQuery);
  const [added, setAdded] = useState<'totp' | 'passkeys'>();
  return (
    <Section
      anchor="sign-in"
      title={t('section.title')}
      lead={t(factors?.required === true ? 'section.required' : 'section.lead')}
      actions={
        hasPasskeys() && (
          <Button
            variant="default"
            leftSection={<KeyRound size="1.1em" aria-hidden />}
            onClick={() => setAdded('passkeys')}
          >
            {t('passkeys.add')}
          </Button>
        )
      }
    >
      <FormError error={error} />
      {factors && (
        <ul className={styles['list']}>
          {factors.passkeys.length === 0 && <NoPasskeys />}
          {factors.passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} passkey={passkey} isLast={isLast(factors)} isRequired={factors.required} />
          ))}
          <TotpItem factors={factors} onAdd={() => setAdded('totp')} />
          {factors.recoveryCodes.total > 0 && <CodesItem {...factors.recoveryCodes} />}
        </ul>
      )}
      {added !== undefined && <NewFactorDialog kind={added} onClose={() => setAdded(undefined)} />}
    </Section>
  );
}

/** Whether removing one second factor removes the last one. */
function isLast({ totp, passkeys }: FactorsView): boolean {
  return passkeys.length + Number(totp !== undefined) === 1;
}

function NoPasskeys() {
  const t = useTranslations('signIn.passkeys');
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']}>{t('title')}</p>
        <p className={styles['itemText']}>{t(hasPasskeys() ? 'none' : 'impossible')}</p>
      </div>
    </li>
  );
}

function TotpItem({ factors, onAdd }: { factors: FactorsView; onAdd: () => void }) {
  const { totp } = factors;
  const t = useTranslations('signIn.totp');
  const { dateTime } = useDateTimeFormats();
  const [isConfirming, setConfirming] = useState(false);
  const close = () => setConfirming(false);
  const removal = useFactorChange(
    () => client.deleteTotp(),
    () => showNotice({ text: t('removed') }),
  );
  const consequences = useTranslations('signIn.removal');
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']}>
          {t('title')}
          {totp && <Badge tone="available">{t('on')}</Badge>}
        </p>
        <p className={styles['itemText']}>{totp ? t('since', { when: dateTime(totp.createdAt) }) : t('none')}</p>
      </div>
      {totp ? (
        <Button variant="default" aria-label={t('removeLabel')} onClick={() => setConfirming(true)}>
          {t('remove')}
        </Button>
      ) : (
        <Button variant="default" onClick={onAdd}>
          {t('add')}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
        title={t('ask')}
        confirmLabel={t('remove')}
        isDangerous
        isBusy={removal.isPending}
        onConfirm={() => removal.mutate(undefined, { onSettled: close })}
        onCancel={close}
      >
        {consequences(isLast(factors) ? (factors.required ? 'lastRequired' : 'last') : 'notLast')}
      </ConfirmDialog>
    </li>
  );
}

function CodesItem({ total, left }: FactorsView['recoveryCodes']) {
  const t = useTranslations('signIn.codes');
  const [isConfirming, setConfirming] = useState(false);
  const close = () => setConfirming(false);
  const renewal = useFactorChange(() => client.replaceRecoveryCodes());
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']}>{t('title')}</p>
        <p className={styles['itemText']}>{t('left', { left, total })}</p>
      </div>
      <Button variant="default" onClick={() => setConfirming(true)}>
        {t('replace')}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t('askReplace')}
        confirmLabel={t('replace')}
        isBusy={renewal.isPending}
        onConfirm={() => renewal.mutate(undefined, { onSettled: close })}
        onCancel={close}
      >
        {t('askReplaceText')}
      </ConfirmDialog>
      {renewal.data && <RecoveryCodesDialog codes={renewal.data.recoveryCodes} onClose={() => renewal.reset()} />}
    </li>
  );
}
