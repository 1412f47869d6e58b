import { IdCard, Share2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button, LinkButton } from '../design/buttons.tsx';
import { bootstrap } from '../service/bootstrap.ts';
import styles from './pet-actions.module.css';

/** The controls on the page of a pet for all users. */
export function PetActions({ id, name }: { id: string; name: string }) {
  const t = useTranslations('petPage');
  return (
    <div className={styles['actions']}>
      <ShareButton name={name} address={addressOfPet(id)} />
      <LinkButton
        to="/pets/$petId/card"
        params={{ petId: id }}
        variant="default"
        leftSection={<IdCard size="1.1em" aria-hidden />}
      >
        {t('card')}
      </LinkButton>
    </div>
  );
}

/** The absolute address of the page of a pet. */
export function addressOfPet(id: string): string {
  return new URL(`${bootstrap.basePath}/pets/${id}`, location.origin).href;
}

interface ShareButtonProps {
  name: string;
  /** The absolute address of the pet's page. */
  address: string;
}

type Outcome = 'copied' | 'by-hand';

/** Shares the address with the share dialog of the device, or copies it to the clipboard. */
function ShareButton({ name, address }: ShareButtonProps) {
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
