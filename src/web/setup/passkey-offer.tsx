import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { EntryPage } from '../account/entry/entry-page.tsx';
import { PasskeySetup } from '../account/factors/passkey-setup.tsx';
import { RecoveryCodes } from '../account/factors/recovery-codes.tsx';
import { Button } from '../design/buttons.tsx';

/** The end of the setup, where browsers have passkeys: the first administrator may add one. */
export function PasskeyOffer() {
  const t = useTranslations('setup.passkey');
  const codesTitle = useTranslations('signIn.codes')('title');
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined)
    return (
      <EntryPage title={codesTitle}>
        <RecoveryCodes codes={codes} onDone={leave} />
      </EntryPage>
    );
  return (
    <EntryPage title={t('title')} lead={t('lead')}>
      <PasskeySetup onDone={(created) => (created === undefined ? leave() : setCodes(created))} />
      <Button variant="subtle" onClick={leave}>
        {t('later')}
      </Button>
    </EntryPage>
  );
}

/** The page was made for the setup, so the next one is loaded. */
function leave(): void {
  location.assign('/');
}
