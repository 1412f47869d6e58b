import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { RETENTION_DAYS } from '../../api/enquiry-rules.ts';
import { isLanguage, LANGUAGES } from '../../../../api/web/languages.ts';
import { FormError } from '../../../../web/account/entry/form-error.tsx';
import { Section } from '../../../../web/account/section.tsx';
import { AdminOnly, AdminPage } from '../../../../web/administration/admin-page.tsx';
import { FormEnd, isWrongAt } from '../../../../web/administration/organisation/form-parts.tsx';
import { LinkButton } from '../../../../web/design/buttons.tsx';
import { SelectField, TextField } from '../../../../web/design/fields/field.tsx';
import { showNotice } from '../../../../web/design/notices.ts';
import { useAction } from '../../../../web/service/action.ts';
import { bootstrap } from '../../../../web/service/bootstrap.ts';
import { client } from '../../../../web/service/client.ts';
import { PETS_KEY } from '../../../../web/service/queries.ts';
import { LANGUAGE_NAMES } from '../../../../web/texts/languages.ts';
import { showSite } from '../../../../web/texts/show-site.ts';
import { enquirySettingsQuery } from '../staff/enquiry-queries.ts';
import adminStyles from '../../../../web/administration/administration.module.css';
import { QuestionList } from './question-list.tsx';
import { bodyOf, fieldsOf, type SettingsFields } from './settings-fields.ts';

export function EnquirySettingsPage() {
  return (
    <AdminOnly>
      <Settings />
    </AdminOnly>
  );
}

function Settings() {
  const t = useTranslations('enquirySettings');
  const { data, error } = useQuery({ ...enquirySettingsQuery, refetchOnWindowFocus: false });
  return (
    <AdminPage
      title={t('title')}
      lead={t('lead')}
      actions={
        <LinkButton to="/enquiries" variant="default">
          {t('toList')}
        </LinkButton>
      }
    >
      <FormError error={error} />
      {data && <SettingsForm read={data} />}
    </AdminPage>
  );
}

type ReadSettings = Awaited<ReturnType<NonNullable<(typeof enquirySettingsQuery)['queryFn']>>>;

function SettingsForm({ read }: { read: { settings: ReadSettings['settings']; etag: string | undefined } }) {
  const [saved, setSaved] = useState(() => fieldsOf(read.settings));
  const [fields, setFields] = useState(saved);
  const save = useSave(read.etag, saved, (next) => {
    setSaved(next);
    setFields(next);
  });
  const change = (part: Partial<SettingsFields>) => setFields({ ...fields, ...part });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(fields);
      }}
    >
      <div className={adminStyles['columns']}>
        <MainSettings fields={fields} error={save.error} sendsTo={read.settings.sendsTo} onChange={change} />
        <QuestionList questions={fields.questions} error={save.error} onChange={(questions) => change({ questions })} />
      </div>
      <FormEnd
        error={save.error}
        isBusy={save.isPending}
        hasUnsaved={JSON.stringify(fields) !== JSON.stringify(saved)}
        onDiscard={() => setFields(saved)}
      />
    </form>
  );
}

function useSave(etag: string | undefined, before: SettingsFields, onSaved: (fields: SettingsFields) => void) {
  const t = useTranslations('enquirySettings');
  const queries = useQueryClient();
  return useAction({
    mutationFn: (fields: SettingsFields) =>
      client.updateEnquirySettings.response({ body: bodyOf(fields) }, etag === undefined ? {} : { ifMatch: etag }),
    onSuccess: ({ value, etag: newEtag }) => {
      if (value === undefined) return;
      queries.setQueryData(enquirySettingsQuery.queryKey, { settings: value, etag: newEtag });
      onSaved(fieldsOf(value));
      showSite(({ features = [], ...site }) => ({
        ...site,
        features: [...features.filter((each) => each !== 'enquiries'), ...(value.enabled ? ['enquiries'] : [])],
      }));
      showNotice({ text: t(value.enabled === before.enabled ? 'saved' : value.enabled ? 'opened' : 'closed') });
    },
  });
}

interface MainSettingsProps {
  fields: SettingsFields;
  error: Error | null;
  /** The address that gets messages about enquiries; null if none are sent. */
  sendsTo: string | null;
  onChange: (part: Partial<SettingsFields>) => void;
}

function MainSettings({ fields, error, sendsTo, onChange }: MainSettingsProps) {
  const t = useTranslations('enquirySettings');
  const { enabled, recipient, language, retentionDays } = fields;
  return (
    <Section title={t('form')} lead={t('formLead')} actions={<Preview />}>
      <label>
        <input
          type="checkbox"
          checked={enabled}
          onChange={({ currentTarget }) => onChange({ enabled: currentTarget.checked })}
        />{' '}
        {t('enabled')}
      </label>
      <TextField
        type="email"
        label={t('recipient')}
        description={t('recipientHint')}
        value={recipient}
        error={isWrongAt(error, '/recipient') ? t('recipientWrong') : undefined}
        onChange={({ currentTarget }) => onChange({ recipient: currentTarget.value })}
      />
      <p className="note" data-tone={sendsTo === null ? 'pending' : 'accent'}>
        {sendsTo === null
          ? t(bootstrap.mail === true ? 'sendsNone.address' : 'sendsNone.mail')
          : t('sendsTo', { address: sendsTo })}
      </p>
      <SelectField
        label={t('language')}
        value={language}
        onChange={({ currentTarget: { value } }) => isLanguage(value) && onChange({ language: value })}
      >
        {LANGUAGES.map((each) => (
          <option key={each} value={each} lang={each}>
            {LANGUAGE_NAMES[each]}
          </option>
        ))}
      </SelectField>
      <TextField
        type="number"
        min={RETENTION_DAYS.min}
        max={RETENTION_DAYS.max}
        label={t('retentionDays')}
        description={t('retentionHint')}
        value={retentionDays}
        error={isWrongAt(error, '/retentionDays') ? t('retentionWrong', RETENTION_DAYS) : undefined}
        onChange={({ currentTarget }) => onChange({ retentionDays: currentTarget.value })}
      />
    </Section>
  );
}

const previewPetQuery = {
  queryKey: [...PETS_KEY, 'enquiry-preview'],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { pets } = await client.findPets({ status: ['available'], limit: 1 }, { signal });
    return pets[0] === undefined ? null : String(pets[0].id);
  },
};

/** The form as visitors see it, once it is open. */
function Preview() {
  const t = useTranslations('enquirySettings');
  const { data: petId } = useQuery(previewPetQuery);
  if (petId === undefined || petId === null) return null;
  return (
    <Link to="/pets/$petId/enquire" params={{ petId }}>
      {t('preview')}
    </Link>
  );
}
