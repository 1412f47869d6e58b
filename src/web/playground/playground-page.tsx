import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../account/entry/form-error.tsx';
import { Section } from '../account/section.tsx';
import { Button } from '../design/buttons.tsx';
import { useDateTimeFormats } from '../design/date-time.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Page } from '../design/page.tsx';
import { NotFoundPage } from '../routing/error-pages.tsx';
import { useAction } from '../service/action.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { BugsSection } from './bugs-section.tsx';
import { DoorPage } from './door-page.tsx';
import { FaultsSection } from './faults-section.tsx';
import { playground } from '../service/playground-place.ts';
import { playgroundQuery, service } from './playground-queries.ts';

/** The playground of the page: its end, its faults and its planted bugs. Outside of one, it creates playgrounds. */
export function PlaygroundPage() {
  const t = useTranslations('playground');
  if (playground === undefined) return bootstrap.playgrounds === true ? <DoorPage /> : <NotFoundPage />;
  const { token } = playground;
  return (
    <Page title={t('title')} lead={t('lead')} isNarrow>
      <State of={token} />
      <FaultsSection of={token} />
      <BugsSection of={token} />
    </Page>
  );
}

function State({ of }: { of: string }) {
  const t = useTranslations('playground.state');
  const { data, error } = useQuery(playgroundQuery(of));
  const { exactDateTime } = useDateTimeFormats();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Section
      title={t('title')}
      lead={data === undefined ? undefined : t('expiresAt', { time: exactDateTime(data.expiresAt) })}
      actions={
        <Button variant="danger" onClick={() => setConfirming(true)}>
          {t('reset')}
        </Button>
      }
    >
      <FormError error={error} />
      {isConfirming && <ResetDialog of={of} onClose={() => setConfirming(false)} />}
    </Section>
  );
}

function ResetDialog({ of, onClose }: { of: string; onClose: () => void }) {
  const t = useTranslations('playground.state');
  const cancel = useTranslations('app')('cancel');
  const reset = useAction({
    mutationFn: () => service.resetPlayground({ token: of }),
    // Sessions and everything that the page has loaded are gone.
    onSuccess: () => location.reload(),
  });
  return (
    <Dialog
      isOpen
      size="small"
      title={t('confirm')}
      onClose={onClose}
      isClosable={!reset.isPending}
      actions={
        <>
          <Button variant="default" onClick={onClose} disabled={reset.isPending}>
            {cancel}
          </Button>
          <Button variant="danger" loading={reset.isPending} onClick={() => reset.mutate()}>
            {t('reset')}
          </Button>
        </>
      }
    >
      <p>{t('lost')}</p>
      <FormError error={reset.error} />
    </Dialog>
  );
}
