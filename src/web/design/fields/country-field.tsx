import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { COUNTRIES } from '../../../api/records/organisation/countries.ts';
import { useLanguage } from '../../texts/loaded-texts.ts';
import { SelectField } from './field.tsx';

interface CountryFieldProps {
  id?: string;
  label: string;
  description: string;
  error?: string | undefined;
  /** The code of the country; empty for none. */
  value: string;
  onChange: (value: string) => void;
}

/** A select of all countries by their names. A code that only a later version knows stays selected. */
export function CountryField({ value, onChange, ...props }: CountryFieldProps) {
  const t = useTranslations('setup');
  const language = useLanguage();
  const countries = useMemo(() => namesOf(language), [language]);
  return (
    <SelectField {...props} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{t('noCountry')}</option>
      {value !== '' && !COUNTRIES.includes(value) && <option>{value}</option>}
      {countries.map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

function namesOf(language: string): readonly (readonly [code: string, name: string])[] {
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const { compare } = new Intl.Collator(language);
  return COUNTRIES.map((code) => [code, names.of(code) ?? code] as const).toSorted(([, a], [, b]) => compare(a, b));
}
