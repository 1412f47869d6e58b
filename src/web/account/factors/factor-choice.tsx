import { KeyRound, Smartphone } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { hasPasskeys } from '../entry/passkeys.ts';
import type { FactorsView } from './factor-queries.ts';

interface FactorChoiceProps {
  factors: FactorsView;
  onChoice: (kind: 'totp' | 'passkeys') => void;
}

/** A button for each kind of second factor that the account does not have. */
export function FactorChoice({ factors: { totp, passkeys }, onChoice }: FactorChoiceProps) {
  const t = useTranslations('signIn');
  const icon = { size: '1.1em', 'aria-hidden': true } as const;
  const lacksPasskey = hasPasskeys() && passkeys.length === 0;
  return (
    <>
      {lacksPasskey && (
        <Button leftSection={<KeyRound {...icon} />} onClick={() => onChoice('passkeys')}>
          {t('passkeys.add')}
        </Button>
      )}
      {totp === undefined && (
        <Button
          variant={lacksPasskey ? 'default' : 'filled'}
          leftSection={<Smartphone {...icon} />}
          onClick={() => onChoice('totp')}
        >
          {t('totp.add')}
        </Button>
      )}
    </>
  );
}
