import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { FormError, isErrorAt } from '../../../../web/account/entry/form-error.tsx';
import styles from '../../../../web/administration/administration.module.css';
import { LinkButton } from '../../../../web/design/buttons.tsx';
import { DateTime } from '../../../../web/design/date-time.tsx';
import { EmptyState } from '../../../../web/design/empty-state.tsx';
import { Page, usePageTitle } from '../../../../web/design/page.tsx';
import { DeleteEnquiry } from './delete-enquiry.tsx';
import { EnquiryEntries } from './enquiry-entries.tsx';
import { enquiryQuery, type ReadEnquiry } from './enquiry-queries.ts';
import { EnquiryText } from './enquiry-text.tsx';
import { EnquiryWork } from './enquiry-work.tsx';
import { EnquiryStaffOnly } from './staff-only.tsx';
import { StateBadge } from './state-badge.tsx';

const route = getRouteApi('/enquiries/$enquiryId');

export function EnquiryPage() {
  const { enquiryId } = route.useParams();
  return (
    <EnquiryStaffOnly>
      {/^\d{1,18}$/.test(enquiryId) ? <OneEnquiry key={enquiryId} id={enquiryId} /> : <NoEnquiry />}
    </EnquiryStaffOnly>
  );
}

function OneEnquiry({ id }: { id: string }) {
  const t = useTranslations('enquiries');
  const { data: read, error } = useQuery(enquiryQuery(id));
  if (isErrorAt(error, 'not-found')) return <NoEnquiry />;
  return (
    <Page
      title={read === undefined ? t('one') : t('from', { name: read.enquiry.name })}
      isNarrow
      lead={read && <Lead {...read} />}
    >
      <Link to="/enquiries" activeOptions={{ exact: true }} className={styles['link']}>
        <ChevronLeft size="1.1em" aria-hidden /> {t('back')}
      </Link>
      <FormError error={error} />
      {read && (
        <>
          <EnquiryText enquiry={read.enquiry} />
          <EnquiryWork read={read} />
          <EnquiryEntries enquiry={read.enquiry} />
          <DeleteEnquiry read={read} />
        </>
      )}
    </Page>
  );
}

function Lead({ enquiry: { state, createdAt } }: ReadEnquiry) {
  return (
    <p className="row">
      <StateBadge state={state} /> <DateTime at={createdAt} />
    </p>
  );
}

function NoEnquiry() {
  const t = useTranslations('enquiries.missing');
  usePageTitle(t('title'));
  return (
    <EmptyState level={1} title={t('title')} actions={<LinkButton to="/enquiries">{t('all')}</LinkButton>}>
      {t('text')}
    </EmptyState>
  );
}
