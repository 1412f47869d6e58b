import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { ENQUIRY_STATES, UNASSIGNED, readEnquirySearch, type EnquirySearch } from '../../../api/web/enquiry-rules.ts';
import { SelectFilter, TextFilter } from '../../administration/filter-fields.tsx';
import styles from '../../administration/administration.module.css';
import { useCurrentUser } from '../../service/current-user.ts';
import { useKnownStaff } from './enquiry-queries.ts';

/** The filters of the list. Their values are in the address. */
export function EnquiryFilters({ search }: { search: EnquirySearch }) {
  const t = useTranslations('enquiries');
  const navigate = useNavigate();
  const currentUser = useCurrentUser();
  const staff = useKnownStaff();
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
