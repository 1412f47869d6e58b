import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Webhook } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Badge } from '../../../web/design/badge.tsx';
import { Button } from '../../../web/design/buttons.tsx';
import { FormError } from '../../../web/account/entry/form-error.tsx';
import { EmptyState } from '../../../web/design/empty-state.tsx';
import { AdminOnly, AdminPage } from '../../../web/administration/admin-page.tsx';
import { webhooksQuery, type WebhookView } from './webhook-queries.ts';
import { NewWebhookDialog } from './webhook-dialogs.tsx';
import { useEventName } from './event-names.ts';
import sectionStyles from '../../../web/account/section.module.css';
import styles from './webhooks.module.css';

export function WebhooksPage() {
  return (
    <AdminOnly>
      <Webhooks />
    </AdminOnly>
  );
}

function Webhooks() {
  const t = useTranslations('administration.webhooks');
  const { data: webhooks, error } = useQuery(webhooksQuery);
  const [isCreating, setCreating] = useState(false);
  return (
    <AdminPage
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button leftSection={<Webhook size="1.1em" aria-hidden />} onClick={() => setCreating(true)}>
          {t('create')}
        </Button>
      }
    >
      <FormError error={error} />
      {webhooks?.length === 0 && <EmptyState title={t('none')}>{t('noneText')}</EmptyState>}
      {webhooks !== undefined && webhooks.length > 0 && (
        <ul className={sectionStyles['list']} aria-label={t('title')}>
          {webhooks.map((webhook) => (
            <Item key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      {isCreating && <NewWebhookDialog onClose={() => setCreating(false)} />}
    </AdminPage>
  );
}

function Item({ webhook: { id, url, events, state, waiting } }: { webhook: WebhookView }) {
  const t = useTranslations('administration.webhooks');
  const eventName = useEventName();
  return (
    <li className={sectionStyles['item']}>
      <div>
        <p className={sectionStyles['itemTitle']}>
          <Link to="/admin/webhooks/$webhookId" params={{ webhookId: id }} className={styles['link']}>
            {url}
          </Link>
          <WebhookState state={state} />
        </p>
        <p className={sectionStyles['itemText']}>{events.map(eventName).join(', ')}</p>
        {waiting > 0 && <p className={sectionStyles['itemText']}>{t('waiting', { count: waiting })}</p>}
      </div>
    </li>
  );
}

export function WebhookState({ state }: Pick<WebhookView, 'state'>) {
  const t = useTranslations('administration.webhooks.states');
  return <Badge tone={state === 'active' ? 'available' : 'neutral'}>{t(state)}</Badge>;
}
