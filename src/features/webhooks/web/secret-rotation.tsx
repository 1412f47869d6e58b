import { useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError, isErrorAt } from '../../../web/account/entry/form-error.tsx';
import { Section } from '../../../web/account/section.tsx';
import { Button } from '../../../web/design/buttons.tsx';
import { useDateTimeFormats } from '../../../web/design/date-time.tsx';
import { ConfirmDialog } from '../../../web/design/dialog.tsx';
import { showNotice } from '../../../web/design/notices.ts';
import { SecretDialog } from '../../../web/design/secret-dialog.tsx';
import { useAction } from '../../../web/service/action.ts';
import { client } from '../../../web/service/client.ts';
import { webhooksQuery, type WebhookView } from './webhook-queries.ts';

/** Replaces the secret of a webhook, which signs together with the previous one for a while. */
export function SecretRotation({ webhook }: { webhook: WebhookView }) {
  const t = useTranslations('administration.webhooks.rotation');
  const { dateTime } = useDateTimeFormats();
  const { id, previousSecretUntil } = webhook;
  const rotation = useRotation(id);
  const isRotating = previousSecretUntil !== undefined;
  const isConflict = isErrorAt(rotation.error, 'conflict');
  return (
    <Section title={t('title')} lead={t('lead')} actions={<Start rotation={rotation} isRotating={isRotating} />}>
      <FormError error={rotation.error} text={isConflict ? t('conflict') : undefined} />
      {isRotating && (
        <>
          <p className="note" data-tone="pending">
            {t('inProgress', { until: dateTime(previousSecretUntil) })}
          </p>
          <End webhookId={id} />
        </>
      )}
    </Section>
  );
}

function useRotation(webhookId: string) {
  const queries = useQueryClient();
  return useAction({
    mutationFn: () => client.rotateWebhookSecret({ webhookId }),
    onSettled: () => queries.invalidateQueries(webhooksQuery),
  });
}

interface StartProps {
  rotation: ReturnType<typeof useRotation>;
  isRotating: boolean;
}

function Start({ rotation, isRotating }: StartProps) {
  const t = useTranslations('administration.webhooks');
  const [isAsking, setAsking] = useState(false);
  if (rotation.data !== undefined)
    return (
      <SecretDialog
        title={t('rotation.started')}
        label={t('secret')}
        value={rotation.data.secret}
        onClose={() => rotation.reset()}
      >
        <p className="note" data-tone="pending">
          {t('rotation.startedText')}
        </p>
      </SecretDialog>
    );
  return (
    <>
      <Button
        variant="default"
        leftSection={<KeyRound size="1.1em" aria-hidden />}
        disabled={isRotating}
        onClick={() => setAsking(true)}
      >
        {t('rotation.start')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('rotation.ask')}
        confirmLabel={t('rotation.start')}
        isBusy={rotation.isPending}
        onConfirm={() => rotation.mutate(undefined, { onSettled: () => setAsking(false) })}
        onCancel={() => setAsking(false)}
      >
        {t('rotation.askText')}
      </ConfirmDialog>
    </>
  );
}

function End({ webhookId }: { webhookId: string }) {
  const t = useTranslations('administration.webhooks.rotation');
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const end = useAction({
    mutationFn: () => client.endSecretRotation({ webhookId }),
    onSuccess: () => showNotice({ text: t('ended') }),
    onSettled: () => queries.invalidateQueries(webhooksQuery),
  });
  return (
    <>
      <FormError error={end.error} />
      <div className="row">
        <Button variant="default" onClick={() => setAsking(true)}>
          {t('end')}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('askEnd')}
        confirmLabel={t('end')}
        isDangerous
        isBusy={end.isPending}
        onConfirm={() => end.mutate(undefined, { onSettled: () => setAsking(false) })}
        onCancel={() => setAsking(false)}
      >
        {t('askEndText')}
      </ConfirmDialog>
    </>
  );
}
