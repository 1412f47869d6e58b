import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { currencyOf } from '../../../api/records/organisation/countries.ts';
import { LANGUAGES } from '../../../api/web/languages.ts';
import { Section } from '../../account/section.tsx';
import { Button } from '../../design/buttons.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { AreaField } from '../../design/fields/area-field.tsx';
import { CountryField } from '../../design/fields/country-field.tsx';
import { SelectField, TextField as Input } from '../../design/fields/field.tsx';
import { withScheme } from '../../design/fields/web-address.ts';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { organisationQuery } from '../../service/queries.ts';
import { ColourField } from './colour-field.tsx';
import { FormEnd, isWrongAt } from './form-parts.tsx';
import { LocationList } from './location-list.tsx';
import { LogoSection } from './logo-section.tsx';
import {
  bodyOf,
  fieldsOf,
  otherLanguage,
  pathOf,
  type OrganisationFields,
  type OrganisationView,
  type TextField,
} from './organisation-fields.ts';
import { LANGUAGE_NAMES } from '../../texts/languages.ts';
import { showLook } from './show-look.ts';
import { SitePreview } from './site-preview.tsx';
import adminStyles from '../administration.module.css';
import styles from './organisation.module.css';

interface ReadOrganisation {
  organisation: OrganisationView;
  etag: string | undefined;
}

/** What the organisation says about itself. It is saved as a whole, unless another administrator has changed it. */
export function OrganisationForm({ read }: { read: ReadOrganisation }) {
  const t = useTranslations('administration.organisation');
  const [saved, setSaved] = useState(() => fieldsOf(read.organisation));
  const [fields, setFields] = useState(saved);
  const [isPreviewing, setPreviewing] = useState(false);
  const save = useSave(read.etag, (organisation) => {
    const next = fieldsOf(organisation);
    setSaved(next);
    setFields(next);
    showLook(organisation);
    showNotice({ text: t('saved') });
  });
  const texts = (field: TextField) => ({
    label: t(`field.${field}`),
    value: fields[field],
    error: isWrongAt(save.error, pathOf(field, fields.language)) ? t(`fault.${faultOf(field)}`) : undefined,
  });
  const change = (field: TextField) => (value: string) => setFields({ ...fields, [field]: value });
  const input = (field: TextField) => ({
    ...texts(field),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => change(field)(currentTarget.value),
  });
  const address = (field: 'website' | 'donationUrl') => ({
    ...input(field),
    type: 'url',
    placeholder: 'https://',
    maxLength: 1000,
    onBlur: () => change(field)(withScheme(fields[field])),
  });
  const area = (field: TextField) => ({ ...texts(field), onChange: change(field) });
  const preview = <SitePreview organisation={read.organisation} fields={fields} />;
  return (
    <div className={adminStyles['columns']}>
      <div className="stack">
        <LogoSection organisation={read.organisation} />
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate(fields);
          }}
        >
          <Section title={t('look')}>
            <Input {...input('name')} maxLength={100} autoComplete="organization" />
            <ColourField {...area('accentColour')} description={t('accentHint')} />
            <CountryField {...area('country')} description={t('countryHint')} />
            <Input
              {...input('currency')}
              description={t('currencyHint')}
              placeholder={currencyOf(fields.country) ?? 'EUR'}
              maxLength={3}
            />
          </Section>
          <Section title={t('about')}>
            <Input {...input('summary')} description={t('summaryHint')} maxLength={200} />
            <AreaField {...area('about')} description={t('aboutHint')} rows={8} maxLength={10_000} />
            <AreaField {...area('adoptionSteps')} description={t('stepsHint')} rows={5} />
            <AreaField {...area('commonQuestions')} description={t('questionsHint')} rows={6} />
            <SelectField
              {...texts('language')}
              description={t('languageHint')}
              onChange={({ currentTarget }) => change('language')(currentTarget.value)}
            >
              <option value="">{t('noLanguage')}</option>
              {LANGUAGES.map((language) => (
                <option key={language} value={language}>
                  {LANGUAGE_NAMES[language]}
                </option>
              ))}
            </SelectField>
          </Section>
          <Section title={t('contact')}>
            <Input {...input('telephone')} type="tel" maxLength={50} />
            <Input {...input('email')} type="email" maxLength={254} />
            <Input {...address('website')} />
            <Input {...address('donationUrl')} />
            <AreaField {...area('address')} rows={3} maxLength={500} />
            <AreaField {...area('openingHours')} rows={3} maxLength={1000} />
          </Section>
          {hasTranslation(fields) && (
            <Section title={t('translation', { language: LANGUAGE_NAMES[otherLanguage(fields.language)] })}>
              <p className="soft">{t('translationHint')}</p>
              <Input {...input('translatedSummary')} description={t('summaryHint')} maxLength={200} />
              <AreaField {...area('translatedAbout')} description={t('aboutHint')} rows={8} maxLength={10_000} />
              <AreaField {...area('translatedSteps')} description={t('stepsHint')} rows={5} />
              <AreaField {...area('translatedHours')} rows={3} maxLength={1000} />
              <AreaField {...area('translatedQuestions')} description={t('questionsHint')} rows={6} />
              <AreaField {...area('translatedLabels')} description={t('labelsHint')} rows={5} />
            </Section>
          )}
          <LocationList
            locations={fields.locations}
            error={save.error}
            onChange={(locations) => setFields({ ...fields, locations })}
          />
          <FormEnd
            error={save.error}
            isBusy={save.isPending}
            hasUnsaved={JSON.stringify(fields) !== JSON.stringify(saved)}
            onDiscard={() => setFields(saved)}
          >
            <Button variant="default" className={styles['preview']} onClick={() => setPreviewing(true)}>
              {t('preview')}
            </Button>
          </FormEnd>
        </form>
      </div>
      <section aria-label={t('preview')} className={styles['side']}>
        <h2>{t('preview')}</h2>
        {preview}
      </section>
      <Dialog isOpen={isPreviewing} title={t('preview')} size="large" onClose={() => setPreviewing(false)}>
        {preview}
      </Dialog>
    </div>
  );
}

/** Also texts whose language is not chosen any more: they are not lost. */
function hasTranslation(fields: OrganisationFields): boolean {
  const texts = Object.entries(fields).filter(([name]) => name === 'language' || name.startsWith('translated'));
  return texts.some(([, text]) => text !== '');
}

function faultOf(field: TextField) {
  const known = [
    'language',
    'accentColour',
    'country',
    'currency',
    'telephone',
    'email',
    'website',
    'commonQuestions',
    'translatedLabels',
  ] as const;
  if (field === 'donationUrl') return 'website';
  return known.find((each) => each === field) ?? 'text';
}

function useSave(etag: string | undefined, onSaved: (organisation: OrganisationView) => void) {
  const queries = useQueryClient();
  return useAction({
    mutationFn: (fields: ReturnType<typeof fieldsOf>) =>
      client.updateOrganisation.response({ body: bodyOf(fields) }, etag === undefined ? {} : { ifMatch: etag }),
    onSuccess: ({ value, etag: newEtag }) => {
      if (value === undefined) return;
      queries.setQueryData(organisationQuery.queryKey, { organisation: value, etag: newEtag });
      onSaved(value);
    },
  });
}
