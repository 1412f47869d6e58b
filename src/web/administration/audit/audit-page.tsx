import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { auditFilterOf, readAuditSearch } from '../../../api/web/audit-addresses.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { auditQuery } from '../admin-queries.ts';
import { AuditEntries } from './audit-entries.tsx';
import { AuditExport } from './audit-export.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { Button, MoreButton } from '../../design/buttons.tsx';
import styles from '../administration.module.css';

export function AuditPage() {
  return (
    <AdminOnly>
      <Trail />
    </AdminOnly>
  );
}

const route = getRouteApi('/admin/audit');

function Trail() {
  const t = useTranslations('administration.audit');
  const moreLabel = useTranslations('administration')('more');
  const address = route.useSearch();
  const search = useMemo(() => readAuditSearch(address), [address]);
  const filter = useMemo(() => auditFilterOf(search), [search]);
  const found = useInfiniteQuery(auditQuery(filter));
  const entries = found.data?.pages.flatMap(({ items }) => items);
  return (
    <AdminPage
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button
          variant="default"
          leftSection={<RotateCw size="1.1em" aria-hidden />}
          loading={found.isRefetching}
          onClick={() => void found.refetch()}
        >
          {t('refresh')}
        </Button>
      }
    >
      <AuditFilters search={search} />
      <AuditExport filter={filter} />
      <FormError error={found.error} />
      <p role="status" className={styles['count']}>
        {entries && entries.length > 0 && t(found.hasNextPage ? 'countMore' : 'count', { count: entries.length })}
      </p>
      {entries?.length === 0 && <EmptyState title={t('none')}>{t('noneText')}</EmptyState>}
      {entries && entries.length > 0 && <AuditEntries entries={entries} />}
      <MoreButton list={found} label={moreLabel} />
    </AdminPage>
  );
}
