import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Settings, UserX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { readEnquirySearch } from '../../../api/web/enquiry-rules.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import styles from '../../administration/administration.module.css';
import { Button, LinkButton, MoreButton } from '../../design/buttons.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { Page } from '../../design/page.tsx';
import { usePermissions } from '../../service/current-user.ts';
import { EnquiryExport } from './enquiry-export.tsx';
import { EnquiryFilters } from './enquiry-filters.tsx';
import { enquiriesQuery, enquirySettingsQuery } from './enquiry-queries.ts';
import { EnquiryTable } from './enquiry-table.tsx';
import { ErasePersonDialog } from './erase-person-dialog.tsx';
import { EnquiryStaffOnly } from './staff-only.tsx';

/** The enquiries of visitors, for staff. */
export function EnquiriesPage() {
  return (
    <EnquiryStaffOnly>
      <Enquiries />
    </EnquiryStaffOnly>
  );
}

const route = getRouteApi('/enquiries');
const ICON = { size: '1.1em', 'aria-hidden': true } as const;

function Enquiries() {
  const t = useTranslations('enquiries');
  const address = route.useSearch();
  const search = useMemo(() => readEnquirySearch(address), [address]);
  const found = useInfiniteQuery(enquiriesQuery(search));
  const { administer } = usePermissions();
  const [isErasing, setErasing] = useState(false);
  const enquiries = found.data?.pages.flatMap(({ items }) => items);
  const isFiltered = Object.keys(search).length > 0;
  const actions = (
    <>
      <Button variant="default" leftSection={<UserX {...ICON} />} onClick={() => setErasing(true)}>
        {t('erase.action')}
      </Button>
      {administer && (
        <LinkButton to="/admin/enquiries" variant="default" leftSection={<Settings {...ICON} />}>
          {t('settings')}
        </LinkButton>
      )}
    </>
  );
  return (
    <Page title={t('title')} lead={t('lead')} actions={actions}>
      <EnquiryFilters search={search} />
      <EnquiryExport search={search} />
      <FormError error={found.error} />
      <p role="status" className={styles['count']}>
        {enquiries && enquiries.length > 0 && t(found.hasNextPage ? 'countMore' : 'count', { count: enquiries.length })}
      </p>
      {enquiries?.length === 0 && (isFiltered ? <NoneFound /> : <NoneYet />)}
      {enquiries && enquiries.length > 0 && (
        <>
          <EnquiryTable enquiries={enquiries} />
          <MoreButton list={found} label={t('more')} />
        </>
      )}
      {isErasing && <ErasePersonDialog onClose={() => setErasing(false)} />}
    </Page>
  );
}

function NoneFound() {
  const t = useTranslations('enquiries.noneFound');
  const navigate = useNavigate();
  return (
    <EmptyState
      title={t('title')}
      actions={
        <Button variant="default" onClick={() => void navigate({ to: '/enquiries', search: {}, replace: true })}>
          {t('clear')}
        </Button>
      }
    >
      {t('text')}
    </EmptyState>
  );
}

/** Says how visitors get the form. */
function NoneYet() {
  const t = useTranslations('enquiries.none');
  const { administer } = usePermissions();
  const { data, isPending } = useQuery(enquirySettingsQuery);
  if (isPending) return null;
  const isOpen = data?.settings.enabled === true;
  const action = administer && <LinkButton to="/admin/enquiries">{t('open')}</LinkButton>;
  return (
    <EmptyState title={t('title')} actions={isOpen ? undefined : action}>
      {t(isOpen ? 'isOpen' : administer ? 'isClosed' : 'askAdministrator')}
    </EmptyState>
  );
}
