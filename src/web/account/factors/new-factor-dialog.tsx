import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Dialog } from '../../design/dialog.tsx';
import { showNotice } from '../../design/notices.ts';
import { PasskeySetup } from './passkey-setup.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { TotpSetup } from './totp-setup.tsx';

interface NewFactorDialogProps {
  kind: 'totp' | 'passkeys';
  onClose: () => void;
}

/** Sets up a second factor, then shows the recovery codes, if it is the first one. */
export function NewFactorDialog({ kind, onClose }: NewFactorDialogProps) {
  const t = useTranslations('signIn');
  const [codes, setCodes] = useState<readonly string[]>();
  const finish = () => {
    showNotice({ text: t(`${kind}.added`) });
    onClose();
  };
  const showCodes = (created: readonly string[] | undefined) => (created === undefined ? finish() : setCodes(created));
  if (codes !== undefined) return <RecoveryCodesDialog codes={codes} onClose={finish} />;
  return (
    <Dialog isOpen onClose={onClose} title={t(`${kind}.add`)} size="small">
      {kind === 'totp' ? <TotpSetup onDone={showCodes} onCancel={onClose} /> : <PasskeySetup onDone={showCodes} />}
    </Dialog>
  );
}

/** Only its button closes it. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useTranslations('signIn.codes');
  return (
    <Dialog isOpen isClosable={false} onClose={onClose} title={t('title')} size="small">
      <RecoveryCodes codes={codes} onDone={onClose} />
    </Dialog>
  );
}
