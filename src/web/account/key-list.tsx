import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNow, useTranslations } from 'use-intl';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/buttons.tsx';
import { ConfirmDialog } from '../design/dialog.tsx';
import { showNotice } from '../design/notices.ts';
import { useAction } from '../service/action.ts';
import { useFailureText } from '../service/failure-text.ts';
import type { KeyView } from './account-queries.ts';
import { useDateTimeFormats } from '../design/date-time.tsx';
import styles from './section.module.css';

interface KeyListProps {
  keys: readonly KeyView[];
  revoke: (keyId: string) => Promise<unknown>;
  /** The query to invalidate after an API key was revoked. */
  queryKey: readonly unknown[];
}

export function KeyList({ keys, revoke, queryKey }: KeyListProps) {
  const t = useTranslations('account.keys');
  const [selected, setSelected] = useState<KeyView>();
  const queries = useQueryClient();
  const failureText = useFailureText();
  const revoking = useAction({
    mutationFn: ({ id }: KeyView) => revoke(id),
    onSuccess: () => showNotice({ text: t('revoked') }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => {
      setSelected(undefined);
      return queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <ul className={styles['list']}>
        {keys.map((key) => (
          <KeyItem key={key.id} ofKey={key} onRevoke={() => setSelected(key)} />
        ))}
      </ul>
      <ConfirmDialog
        isOpen={selected !== undefined}
        title={t('askRevoke', { name: selected?.name ?? '' })}
        confirmLabel={t('revoke')}
        isDangerous
        isBusy={revoking.isPending}
        onConfirm={() => selected !== undefined && revoking.mutate(selected)}
        onCancel={() => setSelected(undefined)}
      >
        {t('askRevokeText')}
      </ConfirmDialog>
    </>
  );
}

function KeyItem({ ofKey, onRevoke }: { ofKey: KeyView; onRevoke: () => void }) {
  const t = useTranslations('account.keys');
  const now = useNow();
  const { relativeTime, dateTime } = useDateTimeFormats();
  const { name, scopes, createdAt, expiresAt, lastUsedAt } = ofKey;
  const hasEnded = new Date(expiresAt) <= now;
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']}>
          {name}
          {scopes.map((scope) => (
            <Badge key={scope} tone={hasEnded ? 'neutral' : 'available'}>
              {t(`scope.${scope}`)}
            </Badge>
          ))}
        </p>
        <p className={styles['itemText']}>
          {[
            t('created', { when: dateTime(createdAt) }),
            t(hasEnded ? 'expired' : 'expires', { when: dateTime(expiresAt) }),
            lastUsedAt === undefined ? t('unused') : t('used', { when: relativeTime(lastUsedAt) }),
          ].join(', ')}
        </p>
      </div>
      <Button variant="default" aria-label={t('revokeOne', { name })} onClick={onRevoke}>
        {t('revoke')}
      </Button>
    </li>
  );
}
