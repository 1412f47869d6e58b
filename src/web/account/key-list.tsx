import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNow, useTranslations } from 'use-intl';
import { ConfirmDialog } from '../design/dialog.tsx';
import { showNotice } from '../design/notices.ts';
import { useFailureText } from '../service/failure-text.ts';
import type { KeyView } from './account-queries.ts';
import { useMoments } from '../design/moments.tsx';
import styles from './section.module.css';

interface KeyListProps {
  keys: readonly KeyView[];
  revoke: (keyId: string) => Promise<unknown>;
  /** What is read again after one was revoked. */
  queryKey: readonly unknown[];
}

export function KeyList({ keys, revoke, queryKey }: KeyListProps) {
  const t = useTranslations('account.keys');
  const [asked, setAsked] = useState<KeyView>();
  const queries = useQueryClient();
  const failureText = useFailureText();
  const revoking = useMutation({
    mutationFn: ({ id }: KeyView) => revoke(id),
    onSuccess: () => showNotice({ text: t('revoked') }),
    onError: (error) => showNotice({ text: failureText(error), isTrouble: true }),
    onSettled: () => {
      setAsked(undefined);
      return queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <ul className={styles['list']}>
        {keys.map((key) => (
          <KeyItem key={key.id} ofKey={key} onRevoke={() => setAsked(key)} />
        ))}
      </ul>
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={t('askRevoke', { name: asked?.name ?? '' })}
        confirmLabel={t('revoke')}
        isDangerous
        isBusy={revoking.isPending}
        onConfirm={() => asked !== undefined && revoking.mutate(asked)}
        onCancel={() => setAsked(undefined)}
      >
        {t('askRevokeText')}
      </ConfirmDialog>
    </>
  );
}

function KeyItem({ ofKey, onRevoke }: { ofKey: KeyView; onRevoke: () => void }) {
  const t = useTranslations('account.keys');
  const now = useNow();
  const { ago, moment } = useMoments();
  const { name, scopes, createdAt, expiresAt, lastUsedAt } = ofKey;
  const hasEnded = new Date(expiresAt) <= now;
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']}>
          {name}
          {scopes.map((scope) => (
            <span key={scope} className={styles['mark']} data-kind={hasEnded ? 'ended' : undefined}>
              {t(`scope.${scope}`)}
            </span>
          ))}
        </p>
        <p className={styles['itemText']}>
          {[
            t('made', { when: moment(createdAt) }),
            t(hasEnded ? 'expired' : 'expires', { when: moment(expiresAt) }),
            lastUsedAt === undefined ? t('unused') : t('used', { when: ago(lastUsedAt) }),
          ].join(', ')}
        </p>
      </div>
      <Button variant="default" aria-label={t('revokeOne', { name })} onClick={onRevoke}>
        {t('revoke')}
      </Button>
    </li>
  );
}
