import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { COATS, ENERGIES, PROFILE_LIMITS, SEXES, SIZES, SPECIES } from '../../../api/records/profile.ts';
import { isPrivate } from '../../../api/web/profile-definitions.ts';
import { Field, SelectField, TextField } from '../../design/fields/field.tsx';
import { linesWithScheme } from '../../design/fields/web-address.ts';
import { useLanguage } from '../../texts/loaded-texts.ts';
import { locationsQuery } from './profile-queries.ts';
import { inputOf, typeOf, type FieldName } from './profile-inputs.ts';
import type { ProfileForm } from './use-profile-form.ts';
import { controlId } from './profile-sections.ts';
import { useProfileProblemText, weightUnit } from './profile-words.ts';
import { kilogramsText, typedWeight } from './weight-input.ts';

export interface ProfileFieldProps {
  formId: string;
  form: ProfileForm;
}

/** The fields that have one of these words. */
export const WORDS = { species: SPECIES, sex: SEXES, size: SIZES, coat: COATS, energy: ENERGIES } as const;

function suggestionsId(formId: string, name: FieldName): string | undefined {
  if (typeOf(name) === 'breed') return `${formId}-breeds`;
  return name === 'pattern' || name === 'colours' ? `${formId}-${name}` : undefined;
}

export function ProfileField({ formId, form, name }: ProfileFieldProps & { name: FieldName }) {
  const texts = useFieldTexts(form, name);
  const props = { id: controlId(formId, name), ...texts, value: form.mine[name] ?? '' };
  const change = (value: string) => form.change(name, value);
  const type = typeOf(name);
  if (name === 'weightKg') return <WeightField {...props} onChange={change} />;
  if (type === 'yes-no') return <YesNoField {...props} onChange={change} />;
  if (type === 'word') return <WordField {...props} name={name as keyof typeof WORDS} onChange={change} />;
  if (type === 'location') return <LocationField {...props} onChange={change} />;
  if (type === 'text') return <LongField {...props} onChange={change} rows={4} />;
  if (type === 'urls')
    return <LongField {...props} onChange={change} rows={2} onBlur={() => change(linesWithScheme(props.value))} />;
  return (
    <TextField
      {...props}
      type={type === 'date' ? 'date' : 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      list={suggestionsId(formId, name)}
      autoComplete="off"
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

function useFieldTexts(form: ProfileForm, name: FieldName) {
  const t = useTranslations();
  const problemText = useProfileProblemText();
  const species = inputOf(form.mine, 'species');
  const help = `profileForm.help.${name}` as 'profileForm.help.summary';
  const parts = [
    t.has(help) && t(help, { max: PROFILE_LIMITS.summary }),
    name === 'size' && hasSizeHelp(species) && t(`profileForm.sizeHelp.${species}`, { unit: weightUnit() }),
    isPrivate(name) && t('profileForm.private'),
  ].filter((part) => part !== false);
  const problem = form.shownProblems.find((problem) => problem.name === name);
  return {
    label: t(`profile.field.${name}`),
    ...(parts.length > 0 && { description: parts.join(' ') }),
    error: problem && problemText(problem),
  };
}

function hasSizeHelp(species: string): species is 'dog' | 'cat' | 'rabbit' | 'horse' {
  return ['dog', 'cat', 'rabbit', 'horse'].includes(species);
}

interface ControlProps {
  id: string;
  label: string;
  description?: string;
  error: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

/** In the unit of the country. The form keeps kilograms, and the control what was typed. */
function WeightField({ label, value, onChange, ...props }: ControlProps) {
  const t = useTranslations('profileForm.help');
  const unit = weightUnit();
  const [typed, setTyped] = useState('');
  return (
    <TextField
      {...props}
      label={`${label} (${unit})`}
      description={t(unit === 'lb' ? 'weightLb' : 'weightKg')}
      value={kilogramsText(typed, unit) === value ? typed : typedWeight(value, unit)}
      inputMode={unit === 'lb' ? 'text' : 'decimal'}
      autoComplete="off"
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(kilogramsText(currentTarget.value, unit));
      }}
    />
  );
}

/** Yes, no or unknown, which is not the same as no. */
export function YesNoField({ onChange, ...props }: ControlProps) {
  const t = useTranslations('profile.yesNo');
  return (
    <SelectField {...props} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{t('unknown')}</option>
      <option value="yes">{t('yes')}</option>
      <option value="no">{t('no')}</option>
    </SelectField>
  );
}

function WordField({ name, onChange, ...props }: ControlProps & { name: keyof typeof WORDS }) {
  return (
    <SelectField {...props} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <WordOptions name={name} words={WORDS[name]} />
    </SelectField>
  );
}

/** The options of a select. */
export function WordOptions({ name, words }: { name: keyof typeof WORDS; words: readonly string[] }) {
  const t = useTranslations();
  return (
    <>
      <option value="">{t('profileForm.choose')}</option>
      {words.map((word) => (
        <option key={word} value={word}>
          {t(`profile.${name}.${word}` as 'profile.species.dog')}
        </option>
      ))}
    </>
  );
}

/** A location that the organisation no longer has stays selected until another one is chosen. */
function LocationField({ value, onChange, ...props }: ControlProps) {
  const t = useTranslations('profileForm');
  const { data: locations = [] } = useQuery(locationsQuery);
  const isKnown = value === '' || locations.some(({ id }) => id === value);
  return (
    <SelectField {...props} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{t('choose')}</option>
      {!isKnown && <option value={value}>{t('unknownLocation', { id: value })}</option>}
      {locations.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

export function LongField({
  value,
  rows,
  onChange,
  onBlur,
  ...texts
}: ControlProps & { rows: number; onBlur?: () => void }) {
  return (
    <Field {...texts}>
      {(controlProps) => (
        <textarea
          rows={rows}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          onBlur={onBlur}
          {...controlProps}
        />
      )}
    </Field>
  );
}

/** The control of a field that the organisation defines. */
export function OwnProfileField({ formId, form, index }: ProfileFieldProps & { index: number }) {
  const t = useTranslations('profileForm');
  const language = useLanguage();
  const problemText = useProfileProblemText();
  const field = form.ownFields[index];
  if (field === undefined) return null;
  const { key, type, label, choices = [], isPublic } = field;
  const name = `own/${key}` as const;
  const problem = form.shownProblems.find((problem) => problem.name === name);
  const props = {
    id: controlId(formId, name),
    label: label[language],
    ...(!isPublic && { description: t('private') }),
    error: problem && problemText(problem),
    value: form.mine[name] ?? '',
  };
  const change = (value: string) => form.change(name, value);
  if (type === 'yes-no-unknown') return <YesNoField {...props} onChange={change} />;
  if (type === 'choice')
    return (
      <SelectField {...props} onChange={({ currentTarget }) => change(currentTarget.value)}>
        <option value="">{t('choose')}</option>
        {choices.map(({ value, labelEn, labelDe }) => (
          <option key={value} value={value}>
            {(language === 'de' ? labelDe : labelEn) ?? value}
          </option>
        ))}
      </SelectField>
    );
  return (
    <TextField
      {...props}
      type={type === 'date' ? 'date' : 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
