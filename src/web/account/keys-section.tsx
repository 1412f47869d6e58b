import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { client } from '../service/client.ts';
import { ACCOUNT_KEY, keysQuery } from './account-queries.ts';
import { FormError } from './entry/form-error.tsx';
import { KeyList } from './key-list.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { Section } from './section.tsx';
import styles from './section.module.css';

export function KeysSection() {
  const t = useTranslations('account.keys');
  const { data: keys, error } = useQuery(keysQuery);
  const [isCreating, setCreating] = useState(false);
  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button variant="default" leftSection={<KeyRound size="1.1em" aria-hidden />} onClick={() => setCreating(true)}>
          {t('new')}
        </Button>
      }
    >
      <FormError error={error} />
      {keys?.length === 0 && <p className={styles['lead']}>{t('none')}</p>}
      <KeyList keys={keys ?? []} revoke={(keyId) => client.revokeKey({ keyId })} queryKey={ACCOUNT_KEY} />
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
    </Section>
  );
}
