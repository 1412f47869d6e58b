import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { bootstrap } from '../../service/bootstrap.ts';
import { useLanguage } from '../../texts/loaded-texts.ts';
import { loadBreedNames } from '../breeds/breed-names.ts';
import { VisibilityField } from '../fields/visibility-field.tsx';
import styles from './profile-section.module.css';
import { OwnProfileField, ProfileField, type ProfileFieldProps } from './profile-field.tsx';
import { ProfileNotices } from './profile-notices.tsx';
import { inputOf, type FieldName } from './profile-inputs.ts';
import {
  controlId,
  hiddenValues,
  makesSense,
  progressOf,
  SECTION_NAMES,
  SECTIONS,
  unaskedAt,
} from './profile-sections.ts';

export function ProfileSection({ formId, form, isNew }: ProfileFieldProps & { isNew: boolean }) {
  const t = useTranslations('profileForm');
  const section = useTranslations('profile.section');
  const unasked = unaskedAt(bootstrap.site);
  const hidden = hiddenValues(form.mine, unasked).length;
  const hasOwn = form.ownFields.length > 0;
  const names = [...SECTION_NAMES, ...(hasOwn ? (['own'] as const) : [])];
  return (
    <>
      <header className="stack">
        <div className="row">
          <h2 id={`${formId}-profile`}>{t('title')}</h2>
          <span className="soft small">{t('progress', { ...progressOf(form.mine, form.ownFields, unasked) })}</span>
        </div>
        <p className="soft small">{t('lead')}</p>
        {/* The buttons that save a new pet decide that. */}
        {!isNew && (
          <VisibilityField
            id={controlId(formId, 'isPublished')}
            isDraft={inputOf(form.mine, 'isPublished') === 'no'}
            onChange={(isDraft) => form.change('isPublished', isDraft ? 'no' : '')}
          />
        )}
        <nav aria-label={t('sections')}>
          <ul className="row">
            {names.map((name) => (
              <li key={name}>
                <a href={`#${formId}-section-${name}`}>{section(name)}</a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <ProfileNotices formId={formId} form={form} />
      {SECTION_NAMES.map((name) => (
        <fieldset key={name} className={styles['part']}>
          <legend id={`${formId}-section-${name}`}>
            <h3>{section(name)}</h3>
          </legend>
          {(SECTIONS[name] as readonly FieldName[])
            .filter((field) => makesSense(field, inputOf(form.mine, 'species'), unasked))
            .map((field) => (
              <ProfileField key={field} name={field} formId={formId} form={form} />
            ))}
        </fieldset>
      ))}
      {hasOwn && (
        <fieldset className={styles['part']}>
          <legend id={`${formId}-section-own`}>
            <h3>{section('own')}</h3>
          </legend>
          {form.ownFields.map(({ key }, index) => (
            <OwnProfileField key={key} index={index} formId={formId} form={form} />
          ))}
        </fieldset>
      )}
      {hidden > 0 && <p className="soft small">{t('hidden', { count: hidden })}</p>}
      <Suggestions formId={formId} form={form} />
    </>
  );
}

/** The suggestions of fields that also accept any other text. */
function Suggestions({ formId, form }: ProfileFieldProps) {
  const t = useTranslations('profileForm');
  const species = inputOf(form.mine, 'species');
  const colours = form.mine.colours ?? '';
  // An option replaces the whole text, so it begins with the colours before the last one.
  const before = colours.slice(0, colours.lastIndexOf(',') + 1);
  const language = useLanguage();
  const { data: breeds = [] } = useQuery({
    queryKey: ['breeds', species, language],
    queryFn: () => loadBreedNames(species, language),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <Options id={`${formId}-breeds`} options={breeds} />
      <Options id={`${formId}-pattern`} options={t('patterns').split(', ')} />
      <Options
        id={`${formId}-colours`}
        options={t('colours')
          .split(', ')
          .map((colour) => `${before} ${colour}`.trim())}
      />
    </>
  );
}

/** The suggestions of an input. */
export function Options({ id, options }: { id: string; options: readonly string[] }) {
  return (
    <datalist id={id}>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </datalist>
  );
}
