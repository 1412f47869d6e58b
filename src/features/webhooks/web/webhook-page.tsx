import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft, Pause, Pencil, Play, Send } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../../../web/account/entry/form-error.tsx';
import { Section } from '../../../web/account/section.tsx';
import { Button, LinkButton } from '../../../web/design/buttons.tsx';
import { useDateTimeFormats } from '../../../web/design/date-time.tsx';
import { leaveCovers } from '../../../web/design/covers.ts';
import { ConfirmDialog } from '../../../web/design/dialog.tsx';
import { EmptyState } from '../../../web/design/empty-state.tsx';
import { showNotice } from '../../../web/design/notices.ts';
import { usePageTitle } from '../../../web/design/page.tsx';
import { useAction } from '../../../web/service/action.ts';
import { client } from '../../../web/service/client.ts';
import { useFailureText } from '../../../web/service/failure-text.ts';
import { AdminOnly, AdminPage } from '../../../web/administration/admin-page.tsx';
import { webhooksQuery, type WebhookView } from './webhook-queries.ts';
import { DeadLetters } from './dead-letters.tsx';
import { useEventName } from './event-names.ts';
import { SecretRotation } from './secret-rotation.tsx';
import { EditWebhookDialog } from './webhook-dialogs.tsx';
import { WebhookState } from './webhooks-page.tsx';
import adminStyles from '../../../web/administration/administration.module.css';

const route = getRouteApi('/admin/webhooks/$webhookId');

export function WebhookPage() {
  return (
    <AdminOnly>
      <OneWebhook />
    </AdminOnly>
  );
}

function OneWebhook() {
  const t = useTranslations('administration.webhooks');
  const { webhookId } = route.useParams();
  const { data: webhooks, error } = useQuery(webhooksQuery);
  const webhook = webhooks?.find(({ id }) => id === webhookId);
  if (webhooks !== undefined && webhook === undefined) return <NoWebhook />;
  return (
    <AdminPage title={webhook === undefined ? t('one') : new URL(webhook.url).host}>
      <Link to="/admin/webhooks" activeOptions={{ exact: true }} className={adminStyles['link']}>
        <ChevronLeft size="1.1em" aria-hidden /> {t('back')}
      </Link>
      <FormError error={error} />
      {webhook && (
        <>
          <Facts webhook={webhook} />
          <Test webhook={webhook} />
          <SecretRotation webhook={webhook} />
          <DeadLetters webhookId={webhookId} />
          <Deletion webhook={webhook} />
        </>
      )}
    </AdminPage>
  );
}

function Facts({ webhook }: { webhook: WebhookView }) {
  const t = useTranslations('administration.webhooks');
  const eventName = useEventName();
  const { dateTime } = useDateTimeFormats();
  const [isEditing, setEditing] = useState(false);
  const { url, events, state, lastVersion, waiting, createdAt } = webhook;
  const facts = [
    [t('url'), url],
    [t('events'), events.map(eventName).join(', ')],
    [t('state'), <WebhookState key="state" state={state} />],
    [t('lastVersion'), String(lastVersion)],
    [t('pending'), String(waiting)],
    [t('createdAt'), dateTime(createdAt)],
  ] as const;
  return (
    <Section title={t('settings')} lead={state === 'gone' ? t('goneText') : undefined}>
      <dl className={adminStyles['facts']}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className="row">
        <Button variant="default" leftSection={<Pencil size="1.1em" aria-hidden />} onClick={() => setEditing(true)}>
          {t('edit')}
        </Button>
        <PauseButton webhook={webhook} />
      </div>
      {isEditing && <EditWebhookDialog webhook={webhook} onClose={() => setEditing(false)} />}
    </Section>
  );
}

function PauseButton({ webhook: { id, state } }: { webhook: WebhookView }) {
  const t = useTranslations('administration.webhooks');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const isActive = state === 'active';
  const pause = useAction({
    mutationFn: () => client.updateWebhook({ webhookId: id, body: { paused: isActive } }),
    onSuccess: () => showNotice({ text: t(isActive ? 'pausedNotice' : 'resumedNotice') }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries(webhooksQuery),
  });
  const Icon = isActive ? Pause : Play;
  return (
    <Button
      variant="default"
      leftSection={<Icon size="1.1em" aria-hidden />}
      loading={pause.isPending}
      onClick={() => pause.mutate()}
    >
      {t(isActive ? 'pause' : 'resume')}
    </Button>
  );
}

function Test({ webhook: { id } }: { webhook: WebhookView }) {
  const t = useTranslations('administration.webhooks.test');
  const test = useAction({ mutationFn: () => client.testWebhook({ webhookId: id }) });
  const { delivered, status, error } = test.data ?? {};
  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button leftSection={<Send size="1.1em" aria-hidden />} loading={test.isPending} onClick={() => test.mutate()}>
          {t('send')}
        </Button>
      }
    >
      <FormError error={test.error} />
      <div role="status">
        {test.data && (
          <p className="note" data-tone={delivered === true ? 'available' : 'danger'}>
            {delivered === true
              ? t('delivered', { status: String(status) })
              : t('failed', { reason: error ?? t('status', { status: String(status) }) })}
          </p>
        )}
      </div>
    </Section>
  );
}

function Deletion({ webhook: { id, url } }: { webhook: WebhookView }) {
  const t = useTranslations('administration.webhooks.delete');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const deletion = useAction({
    mutationFn: () => client.deleteWebhook({ webhookId: id }),
    onSuccess: async () => {
      showNotice({ text: t('done') });
      await leaveCovers();
      await navigate({ to: '/admin/webhooks', replace: true });
      await queries.invalidateQueries(webhooksQuery);
    },
  });
  return (
    <Section
      isDangerous
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button variant="danger" onClick={() => setAsking(true)}>
          {t('title')}
        </Button>
      }
    >
      <FormError error={deletion.error} />
      <ConfirmDialog
        isOpen={isAsking}
        title={t('ask', { url })}
        confirmLabel={t('title')}
        isDangerous
        isBusy={deletion.isPending}
        onConfirm={() => deletion.mutate(undefined, { onSettled: () => setAsking(false) })}
        onCancel={() => setAsking(false)}
      >
        {t('lead')}
      </ConfirmDialog>
    </Section>
  );
}

function NoWebhook() {
  const t = useTranslations('administration.webhooks');
  usePageTitle(t('missing'));
  return (
    <EmptyState level={1} title={t('missing')} actions={<LinkButton to="/admin/webhooks">{t('back')}</LinkButton>}>
      {t('missingText')}
    </EmptyState>
  );
}
