import { Button } from '@mantine/core';
import { Share2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import styles from './share-button.module.css';

interface ShareButtonProps {
  name: string;
  /** The absolute address of the pet's page. */
  address: string;
}

type Outcome = 'copied' | 'by-hand';

/** Gives the address of a pet away: by what the device has for that, else by the clipboard. */
export function ShareButton({ name, address }: ShareButtonProps) {
  const t = useTranslations('petPage.share');
  const [outcome, setOutcome] = useState<Outcome>();
  return (
    <>
      <Button
        variant="default"
        leftSection={<Share2 size="1.1em" aria-hidden />}
        onClick={() => void share({ title: name, url: address }).then(setOutcome)}
      >
        {t('share')}
      </Button>
      <p className={styles['outcome']} role="status">
        {outcome === 'copied' && t('copied')}
        {outcome === 'by-hand' && t('byHand')}
      </p>
      {outcome === 'by-hand' && (
        <input
          className={styles['address']}
          aria-label={t('address')}
          readOnly
          value={address}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      )}
    </>
  );
}

async function share(what: { title: string; url: string }): Promise<Outcome | undefined> {
  // Not in every browser, whatever the types say.
  if ('share' in navigator) {
    try {
      await navigator.share(what);
      return undefined;
    } catch (error) {
      // Whoever closes what the device offers has changed their mind.
      if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    }
  }
  try {
    await navigator.clipboard.writeText(what.url);
    return 'copied';
  } catch {
    // There is none where the page came over plain HTTP.
    return 'by-hand';
  }
}
