import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/buttons.tsx';
import { useDateTimeFormats } from '../design/date-time.tsx';
import { ConfirmDialog, Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/fields/field.tsx';
import { showNotice } from '../design/notices.ts';
import { client } from '../service/client.ts';
import type { PasskeyView } from './factors/factor-queries.ts';
import { PASSKEY_NAME_LENGTH } from './factors/passkey-setup.tsx';
import { useFactorChange } from './factors/use-factor-change.ts';
import styles from './section.module.css';

interface PasskeyItemProps {
  passkey: PasskeyView;
  /** Whether it is the only second factor. */
  isLast: boolean;
  isRequired: boolean;
}

export function PasskeyItem({ passkey, isLast, isRequired }: PasskeyItemProps) {
  const t = useTranslations('signIn.passkeys');
  const consequences = useTranslations('signIn.removal');
  const { relativeTime, dateTime } = useDateTimeFormats();
  const [action, setAction] = useState<'rename' | 'remove'>();
  const close = () => setAction(undefined);
  const { id, name, synced, createdAt, lastUsedAt } = passkey;
  const removal = useFactorChange(
    () => client.deletePasskey({ passkeyId: id }),
    () => showNotice({ text: t('removed') }),
  );
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']}>
          {name}
          <Badge tone="available">{t('one')}</Badge>
        </p>
        <p className={styles['itemText']}>
          {[
            t('created', { when: dateTime(createdAt) }),
            lastUsedAt === undefined ? t('unused') : t('used', { when: relativeTime(lastUsedAt) }),
            t(synced ? 'synced' : 'onDevice'),
          ].join(', ')}
        </p>
      </div>
      <div className="row">
        <Button variant="default" aria-label={t('renameOne', { name })} onClick={() => setAction('rename')}>
          {t('rename')}
        </Button>
        <Button variant="default" aria-label={t('removeOne', { name })} onClick={() => setAction('remove')}>
          {t('remove')}
        </Button>
      </div>
      {action === 'rename' && <RenameDialog passkey={passkey} onClose={close} />}
      <ConfirmDialog
        isOpen={action === 'remove'}
        title={t('ask', { name })}
        confirmLabel={t('remove')}
        isDangerous
        isBusy={removal.isPending}
        onConfirm={() => removal.mutate(undefined, { onSettled: close })}
        onCancel={close}
      >
        {consequences(isLast ? (isRequired ? 'lastRequired' : 'last') : 'notLast')}
      </ConfirmDialog>
    </li>
  );
}

function RenameDialog({ passkey, onClose }: { passkey: PasskeyView; onClose: () => void }) {
  const t = useTranslations('signIn.passkeys');
  const [name, setName] = useState(passkey.name);
  const change = useFactorChange(() => client.renamePasskey({ passkeyId: passkey.id, body: { name: name.trim() } }));
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (name.trim() !== '') change.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Dialog isOpen onClose={onClose} title={t('renameTitle')} size="small" isClosable={!change.isPending}>
      <form className="stack" onSubmit={submit} noValidate>
        <TextField
          label={t('name')}
          required
          autoComplete="off"
          data-autofocus
          maxLength={PASSKEY_NAME_LENGTH}
          value={name}
          error={name.trim() === '' ? t('nameFault') : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" loading={change.isPending}>
          {t('save')}
        </Button>
      </form>
    </Dialog>
  );
}
