import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { EMBED_LIMITS, EMBED_THEMES, type EmbedOptions } from '../api/embed-options.ts';
import { LANGUAGES } from '../../../api/web/languages.ts';
import { changeSearch, type SearchChange } from '../../../web/catalogue/search/search-criteria.ts';
import { SelectField } from '../../../web/design/fields/field.tsx';
import styles from '../../../web/administration/system/system.module.css';

interface EmbedFieldsProps {
  search: CatalogueSearch;
  options: EmbedOptions;
  onSearch: (search: CatalogueSearch) => void;
  onOptions: (options: EmbedOptions) => void;
}

/**
 * With the chunk of the catalogue, which has them already. In a chunk of their own, the front page would load half a
 * kilobyte more.
 */
const Filters = lazy(async () => ({ default: (await import('../../../web/catalogue/catalogue-page.tsx')).Filters }));

/** Not in a style sheet, because visitors load that as well. */
const COLUMNS_OF_FIELDS = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 13rem), 1fr))',
  gap: '1rem',
} as const;

const NUMBERS_OF_PETS = [3, 4, 6, 8, 12, 24, EMBED_LIMITS.pets];

const COLUMNS = Array.from({ length: EMBED_LIMITS.columns }, (_, index) => index + 1);

/** Which pets a website shows, with the filters of the catalogue, and how it shows them. */
export function EmbedFields({ search, options, onSearch, onOptions }: EmbedFieldsProps) {
  const t = useTranslations('administration.embedding');
  const change = (changes: SearchChange) => onSearch(changeSearch(search, changes));
  const address = { search, change, replace: change, clear: () => onSearch({}), show: onSearch };
  return (
    <>
      <div style={COLUMNS_OF_FIELDS}>
        <LookFields options={options} onOptions={onOptions} />
      </div>
      <details>
        <summary className={styles['summary']}>{t('filters')}</summary>
        <Suspense>
          <Filters address={address} />
        </Suspense>
      </details>
    </>
  );
}

function LookFields({ options, onOptions }: Pick<EmbedFieldsProps, 'options' | 'onOptions'>) {
  const t = useTranslations('administration.embedding');
  const { columns: _columns, language: _language, ...kept } = options;
  const { limit, columns, theme, language } = options;
  return (
    <>
      <SelectField
        label={t('limit')}
        value={limit}
        onChange={({ currentTarget }) => onOptions({ ...options, limit: Number(currentTarget.value) })}
      >
        {NUMBERS_OF_PETS.map((number) => (
          <option key={number}>{number}</option>
        ))}
      </SelectField>
      <SelectField
        label={t('columns')}
        value={columns ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onOptions({ ...kept, ...(language && { language }), ...(value !== '' && { columns: Number(value) }) })
        }
      >
        <option value="">{t('columnsAuto')}</option>
        {COLUMNS.map((number) => (
          <option key={number} value={number}>
            {t('columnsAtMost', { count: number })}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t('theme')}
        value={theme}
        onChange={({ currentTarget: { value } }) =>
          onOptions({ ...options, theme: EMBED_THEMES.find((each) => each === value) ?? 'auto' })
        }
      >
        {EMBED_THEMES.map((each) => (
          <option key={each} value={each}>
            {t(`themes.${each}`)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t('language')}
        value={language ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const chosen = LANGUAGES.find((each) => each === value);
          onOptions({ ...kept, ...(columns && { columns }), ...(chosen && { language: chosen }) });
        }}
      >
        <option value="">{t('languageAuto')}</option>
        {LANGUAGES.map((each) => (
          <option key={each} value={each}>
            {t(`languages.${each}`)}
          </option>
        ))}
      </SelectField>
    </>
  );
}
