import { Share2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import styles from './pet-actions.module.css';

interface ShareButtonProps {
  /** The name of the shared page. */
  name: string;
  /** Names the field from which the address can be copied. */
  label: string;
  /** The absolute address of a page. */
  address: string;
}

type Outcome = 'copied' | 'by-hand';

/** Shares the address with the share dialog of the device, or copies it to the clipboard. */
export function ShareButton({ name, label, address }: ShareButtonProps) {
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
          aria-label={label}
          readOnly
          value={address}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      )}
    </>
  );
}

async function share(what: { title: string; url: string }): Promise<Outcome | undefined> {
  // Not all browsers support it, although the types say so.
  if ('share' in navigator) {
    try {
      await navigator.share(what);
      return undefined;
    } catch (error) {
      // The user closed the dialog.
      if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    }
  }
  try {
    await navigator.clipboard.writeText(what.url);
    return 'copied';
  } catch {
    // Pages over plain HTTP have no clipboard.
    return 'by-hand';
  }
}
