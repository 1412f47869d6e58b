import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { AUDIT_GROUPS, AUDIT_OUTCOMES, readAuditSearch, type AuditSearch } from '../../../api/web/audit-addresses.ts';
import { SelectField, TextField } from '../../design/fields/field.tsx';
import { useAuditWords } from './audit-words.ts';
import { SelectFilter, TextFilter } from '../filter-fields.tsx';
import styles from '../administration.module.css';

interface FilterProps {
  search: AuditSearch;
  onChange: (change: Readonly<Record<string, string>>) => void;
}

/** The filters of the audit log. Their values are in the address. */
export function AuditFilters({ search }: { search: AuditSearch }) {
  const t = useTranslations('administration.audit');
  const navigate = useNavigate();
  const onChange: FilterProps['onChange'] = (change) =>
    void navigate({ to: '/admin/audit', search: readAuditSearch({ ...search, ...change }), replace: true });
  return (
    <search className={styles['auditFilters']}>
      <ActionFilter search={search} onChange={onChange} />
      <SelectFilter
        label={t('outcome')}
        anyLabel={t('anyOutcome')}
        choices={AUDIT_OUTCOMES}
        nameOf={(outcome) => t(`outcomes.${outcome}`)}
        value={search.outcome}
        onChange={(outcome) => onChange({ outcome })}
      />
      <TextFilter
        label={t('actor')}
        hint={t('actorHint')}
        value={search.actor}
        onChange={(actor) => onChange({ actor })}
      />
      <TextFilter
        label={t('subject')}
        hint={t('subjectHint')}
        value={search.subject}
        onChange={(subject) => onChange({ subject })}
      />
      <DayFilters search={search} onChange={onChange} />
      {Object.keys(search).length > 0 && (
        <Button
          variant="subtle"
          className={styles['clear']}
          onClick={() => void navigate({ to: '/admin/audit', search: {}, replace: true })}
        >
          {t('clear')}
        </Button>
      )}
    </search>
  );
}

function DayFilters({ search, onChange }: FilterProps) {
  const t = useTranslations('administration.audit');
  return (
    <>
      <TextField
        type="date"
        label={t('since')}
        value={search.since ?? ''}
        max={search.until}
        onChange={({ currentTarget }) => onChange({ since: currentTarget.value })}
      />
      <TextField
        type="date"
        label={t('until')}
        value={search.until ?? ''}
        min={search.since}
        onChange={({ currentTarget }) => onChange({ until: currentTarget.value })}
      />
    </>
  );
}

function ActionFilter({ search, onChange }: FilterProps) {
  const t = useTranslations('administration.audit');
  const { actionName, groupName } = useAuditWords();
  return (
    <SelectField
      label={t('action')}
      value={search.action ?? ''}
      onChange={({ currentTarget }) => onChange({ action: currentTarget.value })}
    >
      <option value="">{t('anyAction')}</option>
      {[...AUDIT_GROUPS].map(([group, actions]) =>
        group === 'access' ? (
          <option key={group} value={group}>
            {actionName('access')}
          </option>
        ) : (
          <optgroup key={group} label={groupName(group)}>
            <option value={group}>{t('anyOf', { group: groupName(group) })}</option>
            {actions.map((action) => (
              <option key={action} value={action}>
                {actionName(action)}
              </option>
            ))}
          </optgroup>
        ),
      )}
    </SelectField>
  );
}
