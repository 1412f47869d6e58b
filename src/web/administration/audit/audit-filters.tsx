import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { AUDIT_GROUPS, AUDIT_OUTCOMES, readAuditSearch, type AuditSearch } from '../../../api/web/admin-addresses.ts';
import { SelectField } from '../../design/fields/select-field.tsx';
import { TextField } from '../../design/fields/text-field.tsx';
import { useAuditWords } from './audit-words.ts';
import { SearchField } from '../search-field.tsx';
import styles from '../administration.module.css';

/** What is looked for stands in the address. */
export function AuditFilters({ search }: { search: AuditSearch }) {
  const t = useTranslations('administration.audit');
  const { actionName, groupName } = useAuditWords();
  const navigate = useNavigate();
  const look = (part: Readonly<Record<string, string>>) =>
    void navigate({ to: '/admin/audit', search: readAuditSearch({ ...search, ...part }), replace: true });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <search className={styles['auditFilters']}>
      <SelectField
        label={t('action')}
        value={search.action ?? ''}
        onChange={({ currentTarget }) => look({ action: currentTarget.value })}
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
      <SelectField
        label={t('outcome')}
        value={search.outcome ?? ''}
        onChange={({ currentTarget }) => look({ outcome: currentTarget.value })}
      >
        <option value="">{t('anyOutcome')}</option>
        {AUDIT_OUTCOMES.map((outcome) => (
          <option key={outcome} value={outcome}>
            {t(`outcomes.${outcome}`)}
          </option>
        ))}
      </SelectField>
      <SearchField
        label={t('actor')}
        hint={t('actorHint')}
        value={search.actor}
        onChange={(actor) => look({ actor })}
      />
      <SearchField
        label={t('subject')}
        hint={t('subjectHint')}
        value={search.subject}
        onChange={(subject) => look({ subject })}
      />
      <TextField
        type="date"
        label={t('since')}
        value={search.since ?? ''}
        max={search.until}
        onChange={({ currentTarget }) => look({ since: currentTarget.value })}
      />
      <TextField
        type="date"
        label={t('until')}
        value={search.until ?? ''}
        min={search.since}
        onChange={({ currentTarget }) => look({ until: currentTarget.value })}
      />
      {isFiltered && (
        <Button
          variant="subtle"
          className={styles['clear'] ?? ''}
          onClick={() => void navigate({ to: '/admin/audit', search: {}, replace: true })}
        >
          {t('clear')}
        </Button>
      )}
    </search>
  );
}
