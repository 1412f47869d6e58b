import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { client } from '../service/client.ts';
import { ACCOUNT_KEY, keysQuery } from './account-queries.ts';
import { FormTrouble } from './form-trouble.tsx';
import { KeyList } from './key-list.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { Section } from './section.tsx';
import styles from './section.module.css';

export function KeysSection() {
  const t = useTranslations('account.keys');
  const { data: keys, error } = useQuery(keysQuery);
  const [isMaking, setMaking] = useState(false);
  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button variant="default" leftSection={<KeyRound size="1.1em" aria-hidden />} onClick={() => setMaking(true)}>
          {t('new')}
        </Button>
      }
    >
      <FormTrouble error={error} />
      {keys?.length === 0 && <p className={styles['lead']}>{t('none')}</p>}
      <KeyList keys={keys ?? []} revoke={(keyId) => client.revokeKey({ keyId })} queryKey={ACCOUNT_KEY} />
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} />}
    </Section>
  );
}
