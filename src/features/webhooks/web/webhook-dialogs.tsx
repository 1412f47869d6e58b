import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../../web/design/buttons.tsx';
import { EVENT_PATTERNS, isIncluded, MAX_WEBHOOK_URL_LENGTH, withPattern } from '../api/webhook-settings.ts';
import { FormError, isErrorAt } from '../../../web/account/entry/form-error.tsx';
import { Dialog } from '../../../web/design/dialog.tsx';
import { FieldNotes, TextField } from '../../../web/design/fields/field.tsx';
import { withScheme } from '../../../web/design/fields/web-address.ts';
import { SecretDialog } from '../../../web/design/secret-dialog.tsx';
import { useAction } from '../../../web/service/action.ts';
import { client } from '../../../web/service/client.ts';
import { webhooksQuery, type WebhookView } from './webhook-queries.ts';
import { useEventName } from './event-names.ts';
import accountStyles from '../../../web/account/entry/account.module.css';
import styles from './webhooks.module.css';

interface Sent {
  url: string;
  events: readonly string[];
}

/** Creates a webhook, then shows its secret once. */
export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('administration.webhooks');
  const queries = useQueryClient();
  const create = useAction({
    mutationFn: (body: Sent) => client.createWebhook({ body }),
    onSuccess: () => queries.invalidateQueries(webhooksQuery),
  });
  if (create.data !== undefined)
    return (
      <SecretDialog title={t('created')} label={t('secret')} value={create.data.secret} onClose={onClose}>
        <p className="note" data-tone="pending">
          {t('createdText')}
        </p>
      </SecretDialog>
    );
  return (
    <Dialog isOpen onClose={onClose} title={t('create')} isClosable={!create.isPending}>
      <WebhookForm
        first={{ url: '', events: ['pet.*'] }}
        submitLabel={t('create')}
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(sent) => create.mutate(sent)}
      />
    </Dialog>
  );
}

export function EditWebhookDialog({ webhook, onClose }: { webhook: WebhookView; onClose: () => void }) {
  const t = useTranslations('administration.webhooks');
  const queries = useQueryClient();
  const edit = useAction({
    mutationFn: (body: Sent) => client.updateWebhook({ webhookId: webhook.id, body }),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries(webhooksQuery),
  });
  return (
    <Dialog isOpen onClose={onClose} title={t('edit')} isClosable={!edit.isPending}>
      <WebhookForm
        first={webhook}
        submitLabel={t('save')}
        isBusy={edit.isPending}
        error={edit.error}
        onSubmit={(sent) => edit.mutate(sent)}
      />
    </Dialog>
  );
}

interface WebhookFormProps {
  first: Sent;
  submitLabel: string;
  isBusy: boolean;
  error: Error | null;
  onSubmit: (sent: Sent) => void;
}

function WebhookForm({ first, submitLabel, isBusy, error, onSubmit }: WebhookFormProps) {
  const t = useTranslations('administration.webhooks');
  const [url, setUrl] = useState(first.url);
  const [events, setEvents] = useState(first.events);
  const [isSubmitted, setSubmitted] = useState(false);
  const address = withScheme(url);
  const isUrl = URL.canParse(address) && /^https?:/i.test(address);
  const isUrlRefused = isErrorAt(error, '/url');
  const urlField = useRef<HTMLInputElement>(null);
  // On a phone, the field may be out of view.
  useEffect(() => {
    if (isErrorAt(error, '/url')) urlField.current?.focus();
  }, [error]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (isUrl && events.length > 0) onSubmit({ url: address, events });
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <TextField
        ref={urlField}
        label={t('url')}
        description={t('urlHint')}
        type="url"
        required
        autoComplete="off"
        data-autofocus
        value={url}
        maxLength={MAX_WEBHOOK_URL_LENGTH}
        error={isSubmitted && !isUrl ? t('urlFault') : isUrlRefused ? t('urlRefused') : undefined}
        onChange={({ currentTarget }) => setUrl(currentTarget.value.trim())}
        onBlur={() => setUrl(address)}
      />
      <Events
        events={events}
        error={isSubmitted && events.length === 0 ? t('eventsFault') : undefined}
        onChange={setEvents}
      />
      <FormError error={isUrlRefused ? null : error} text={isErrorAt(error, 'conflict') ? t('tooMany') : undefined} />
      <Button type="submit" loading={isBusy}>
        {submitLabel}
      </Button>
    </form>
  );
}

interface EventsProps {
  events: readonly string[];
  error: string | undefined;
  onChange: (events: readonly string[]) => void;
}

/** Checkboxes of all patterns. Those that another one includes are checked and disabled. */
function Events({ events, error, onChange }: EventsProps) {
  const t = useTranslations('administration.webhooks');
  const eventName = useEventName();
  const id = useId();
  return (
    <fieldset className={accountStyles['choices']} aria-describedby={error === undefined ? undefined : `${id}-error`}>
      <legend>{t('events')}</legend>
      <div className={styles['events']}>
        {EVENT_PATTERNS.map((pattern) => (
          <label key={pattern}>
            <input
              type="checkbox"
              checked={events.includes(pattern) || isIncluded(pattern, events)}
              disabled={isIncluded(pattern, events)}
              onChange={({ currentTarget }) => onChange(withPattern(events, pattern, currentTarget.checked))}
            />
            {eventName(pattern)}
          </label>
        ))}
      </div>
      <FieldNotes id={id} error={error} />
    </fieldset>
  );
}
