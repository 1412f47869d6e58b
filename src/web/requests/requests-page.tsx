import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../account/entry/form-error.tsx';
import { SelectFilter } from '../administration/filter-fields.tsx';
import { Button } from '../design/buttons.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Page, usePageTitle } from '../design/page.tsx';
import { useAction } from '../service/action.ts';
import { deleteRequests, requestsQuery, type RequestView } from './recorded-requests.ts';
import { playground, type PlaygroundPlace } from '../service/playground-place.ts';
import { RequestItem } from './request-item.tsx';
import styles from './requests.module.css';

export function RequestsPage() {
  return playground === undefined ? <OnlyInPlaygrounds /> : <Requests place={playground} />;
}

function OnlyInPlaygrounds() {
  const t = useTranslations('requests');
  usePageTitle(t('title'));
  return (
    <EmptyState title={t('title')} level={1}>
      {t('onlyInPlaygrounds')}
    </EmptyState>
  );
}

function Requests({ place }: { place: PlaygroundPlace }) {
  const t = useTranslations('requests');
  const queries = useQueryClient();
  const { data: requests, error } = useQuery(requestsQuery(place, queries));
  return (
    <Page title={t('title')} lead={t('lead')} actions={<Actions place={place} />}>
      <FormError error={error} />
      {requests?.length === 0 && <EmptyState title={t('none')}>{t('noneText')}</EmptyState>}
      {requests !== undefined && requests.length > 0 && <RequestList requests={requests} url={place.url} />}
    </Page>
  );
}

function Actions({ place }: { place: PlaygroundPlace }) {
  const t = useTranslations('requests');
  const queries = useQueryClient();
  const deletion = useAction({ mutationFn: () => deleteRequests(place, queries) });
  return (
    <>
      <a className={styles['download']} href={`${place.service}/playgrounds/${place.token}/requests/har`} download>
        <Download size="1.1em" aria-hidden />
        {t('download')}
      </a>
      <Button
        variant="default"
        leftSection={<Trash2 size="1.1em" aria-hidden />}
        loading={deletion.isPending}
        onClick={() => deletion.mutate()}
      >
        {t('delete')}
      </Button>
      <FormError error={deletion.error} />
    </>
  );
}

const STATUSES = ['2xx', '3xx', '4xx', '5xx'] as const;

const PAGE_SIZE = 50;

/** The newest first. */
function RequestList({ requests, url }: { requests: readonly RequestView[]; url: string }) {
  const t = useTranslations('requests');
  const [operation, setOperation] = useState('');
  const [status, setStatus] = useState('');
  const [shown, setShown] = useState(PAGE_SIZE);
  const operations = [...new Set(requests.flatMap((each) => each.operation ?? []))].toSorted();
  const found = requests.filter(
    (each) =>
      (operation === '' || each.operation === operation) &&
      (status === '' || String(each.status ?? '').startsWith(status.slice(0, 1))),
  );
  return (
    <>
      <search className={styles['filters']}>
        <SelectFilter
          label={t('operation')}
          anyLabel={t('anyOperation')}
          choices={operations}
          nameOf={(choice) => choice}
          value={operation}
          onChange={setOperation}
        />
        <SelectFilter
          label={t('status')}
          anyLabel={t('anyStatus')}
          choices={STATUSES}
          nameOf={(choice) => choice}
          value={status as (typeof STATUSES)[number] | ''}
          onChange={setStatus}
        />
      </search>
      <p className={styles['count']}>{t('count', { count: found.length })}</p>
      <ol className={styles['list']} aria-label={t('title')}>
        {found
          .slice(-shown)
          .toReversed()
          .map((request) => (
            <RequestItem key={request.number} request={request} url={url} />
          ))}
      </ol>
      {found.length > shown && (
        <Button variant="default" onClick={() => setShown(shown + PAGE_SIZE)}>
          {t('more')}
        </Button>
      )}
    </>
  );
}
