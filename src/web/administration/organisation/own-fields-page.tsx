import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CirclePlus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ResultOf } from '../../../api/documents/operation-types.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { Button } from '../../design/buttons.tsx';
import { AreaField } from '../../design/fields/area-field.tsx';
import { SelectField, TextField } from '../../design/fields/field.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { ADMIN_KEY } from '../admin-queries.ts';
import { FormEnd, isWrongAt } from './form-parts.tsx';
import styles from './organisation.module.css';

type OwnField = ResultOf<'getOwnFields'>['fields'][number];

const TYPES = ['text', 'number', 'date', 'yes-no-unknown', 'choice'] as const;
const NEW_FIELD: OwnField = { key: '', type: 'text', label: { en: '', de: '' }, isPublic: true };

const ownFieldsQuery = {
  queryKey: [...ADMIN_KEY, 'own-fields'],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { value, etag } = await client.getOwnFields.response({}, { signal });
    return { fields: value?.fields ?? [], etag };
  },
  refetchOnWindowFocus: false,
};

/** The fields that the shelter adds to the profiles of its pets. */
export function OwnFieldsPage() {
  return (
    <AdminOnly>
      <OwnFields />
    </AdminOnly>
  );
}

function OwnFields() {
  const t = useTranslations('administration.ownFields');
  const { data, error } = useQuery(ownFieldsQuery);
  return (
    <AdminPage title={t('title')} lead={t('lead')}>
      <FormError error={error} />
      {data && <OwnFieldsForm read={data} />}
    </AdminPage>
  );
}

function OwnFieldsForm({ read }: { read: { fields: readonly OwnField[]; etag: string | undefined } }) {
  const t = useTranslations('administration.ownFields');
  const queries = useQueryClient();
  const [saved, setSaved] = useState(read.fields);
  const [fields, setFields] = useState(saved);
  const save = useAction({
    mutationFn: () =>
      client.updateOwnFields.response({ body: { fields } }, read.etag === undefined ? {} : { ifMatch: read.etag }),
    onSuccess: ({ value, etag }) => {
      if (value === undefined) return;
      queries.setQueryData(ownFieldsQuery.queryKey, { fields: value.fields, etag });
      setSaved(value.fields);
      setFields(value.fields);
      showNotice({ text: t('saved') });
    },
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      {fields.map((field, index) => (
        <OneField
          key={index}
          number={index + 1}
          field={field}
          isWrong={isWrongAt(save.error, `/fields/${index}`)}
          onChange={(part) => setFields(fields.with(index, { ...field, ...part }))}
          onDelete={() => setFields(fields.toSpliced(index, 1))}
        />
      ))}
      <FormEnd
        error={save.error}
        isBusy={save.isPending}
        hasUnsaved={JSON.stringify(fields) !== JSON.stringify(saved)}
        onDiscard={() => setFields(saved)}
      >
        <Button
          variant="default"
          leftSection={<CirclePlus size="1.1em" aria-hidden />}
          onClick={() => setFields([...fields, NEW_FIELD])}
        >
          {t('add')}
        </Button>
      </FormEnd>
    </form>
  );
}

interface OneFieldProps {
  number: number;
  field: OwnField;
  isWrong: boolean;
  onChange: (part: Partial<OwnField>) => void;
  onDelete: () => void;
}

function OneField({ number, field, isWrong, onChange, onDelete }: OneFieldProps) {
  const t = useTranslations('administration.ownFields');
  const { key, type, label, isPublic, choices = [] } = field;
  return (
    <Section
      title={t('field', { number })}
      actions={
        <Button variant="subtle" leftSection={<Trash2 size="1.1em" aria-hidden />} onClick={onDelete}>
          {t('delete', { number })}
        </Button>
      }
    >
      <div className={styles['pair']}>
        <TextField
          label={t('key')}
          description={t('keyHint')}
          value={key}
          error={isWrong ? t('wrong') : undefined}
          onChange={({ currentTarget }) => onChange({ key: currentTarget.value })}
        />
        <TextField
          label={t('labelEn')}
          value={label.en}
          onChange={({ currentTarget }) => onChange({ label: { ...label, en: currentTarget.value } })}
        />
        <TextField
          label={t('labelDe')}
          value={label.de}
          onChange={({ currentTarget }) => onChange({ label: { ...label, de: currentTarget.value } })}
        />
        <SelectField
          label={t('type')}
          value={type}
          onChange={({ currentTarget }) =>
            onChange({ type: TYPES.find((each) => each === currentTarget.value) ?? 'text', choices: [] })
          }
        >
          {TYPES.map((each) => (
            <option key={each} value={each}>
              {t(`types.${each}`)}
            </option>
          ))}
        </SelectField>
      </div>
      {type === 'choice' && (
        <AreaField
          label={t('choices')}
          description={t('choicesHint')}
          rows={4}
          value={choices.map(({ value }) => value).join('\n')}
          onChange={(text) => onChange({ choices: choicesOf(text, choices) })}
        />
      )}
      <label>
        <input
          type="checkbox"
          checked={isPublic}
          onChange={({ currentTarget }) => onChange({ isPublic: currentTarget.checked })}
        />{' '}
        {t('isPublic')}
      </label>
    </Section>
  );
}

/** One value per line. The labels of values that stay are kept. */
function choicesOf(text: string, before: NonNullable<OwnField['choices']>): NonNullable<OwnField['choices']> {
  return text.split('\n').map((value) => before.find((choice) => choice.value === value) ?? { value });
}
