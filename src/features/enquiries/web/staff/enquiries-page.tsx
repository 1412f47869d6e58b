import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Download, Settings, UserX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ENQUIRY_STATES, type EnquirySearch, readEnquirySearch, UNASSIGNED } from '../../api/enquiry-rules.ts';
import { writeJson } from '../../../../client/int64-text.ts';
import { BYTE_ORDER_MARK } from '../../../../transfer/csv.ts';
import { FormError } from '../../../../web/account/entry/form-error.tsx';
import styles from '../../../../web/administration/administration.module.css';
import { SelectFilter, TextFilter } from '../../../../web/administration/filter-fields.tsx';
import { Button, LinkButton, MoreButton } from '../../../../web/design/buttons.tsx';
import { EmptyState } from '../../../../web/design/empty-state.tsx';
import { showNotice } from '../../../../web/design/notices.ts';
import { Page } from '../../../../web/design/page.tsx';
import { useAction } from '../../../../web/service/action.ts';
import { client } from '../../../../web/service/client.ts';
import { useCurrentUser, usePermissions } from '../../../../web/service/current-user.ts';
import { useFailureText } from '../../../../web/service/failure-text.ts';
import { downloadText } from '../../../../web/service/files.ts';
import { enquiriesQuery, enquirySettingsQuery, filterOf, useStaff } from './enquiry-queries.ts';
import { EnquiryTable } from './enquiry-table.tsx';
import { ErasePersonDialog } from './erase-person-dialog.tsx';
import { EnquiryStaffOnly } from './staff-only.tsx';

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

/** Saves all matching enquiries with their notes and answers, including those that are not loaded. */
function EnquiryExport({ search }: { search: EnquirySearch }) {
  const t = useTranslations('enquiries');
  const failureText = useFailureText();
  const save = useAction({
    mutationFn: async () => {
      const rows = await client.exportEnquiries({ ...filterOf(search), format: 'csv' });
      // The client reads CSV as text, without the mark from which spreadsheets recognize UTF-8.
      const text =
        typeof rows === 'string' ? BYTE_ORDER_MARK + rows : rows.map((row) => `${writeJson(row)}\n`).join('');
      downloadText(text, 'enquiries.csv', 'text/csv');
    },
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
  });
  return (
    <p className={styles['export']}>
      <Button
        variant="default"
        leftSection={<Download size="1.1em" aria-hidden />}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        {t('export')}
      </Button>
    </p>
  );
}

/** The filters of the list. Their values are in the address. */
function EnquiryFilters({ search }: { search: EnquirySearch }) {
  const t = useTranslations('enquiries');
  const navigate = useNavigate();
  const currentUser = useCurrentUser();
  const staff = useStaff();
  const { assignee } = search;
  const assignees = new Set([UNASSIGNED, ...staff, ...(assignee === undefined ? [] : [assignee])]);
  const update = (part: EnquirySearch | Readonly<Record<string, string>>) =>
    void navigate({ to: '/enquiries', search: readEnquirySearch({ ...search, ...part }), replace: true });
  const nameOf = (username: string) =>
    username === UNASSIGNED ? t('nobody') : username === currentUser?.username ? t('me', { username }) : username;
  return (
    <search className={styles['filters']}>
      <TextFilter
        label={t('search')}
        hint={t('searchHint')}
        value={search.text}
        onChange={(text) => update({ text })}
      />
      <SelectFilter
        label={t('state')}
        anyLabel={t('anyState')}
        choices={ENQUIRY_STATES}
        nameOf={(state) => t(`states.${state}`)}
        value={search.state}
        onChange={(state) => update({ state })}
      />
      <SelectFilter
        label={t('assignee')}
        anyLabel={t('anyAssignee')}
        choices={[...assignees]}
        nameOf={nameOf}
        value={assignee}
        onChange={(chosen) => update({ assignee: chosen })}
      />
      <TextFilter label={t('petId')} value={search.petId} onChange={(petId) => update({ petId })} />
    </search>
  );
}
