import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { DEFAULT_PETS, type EmbedOptions } from '../../../api/web/embed-options.ts';
import { Section } from '../../account/section.tsx';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { AllowedSites } from './allowed-sites.tsx';
import { EmbedFields } from './embed-fields.tsx';
import { queryOf } from './snippets.ts';
import { Preview, Snippets } from './snippet-sections.tsx';

/** The snippet with which other websites show the pets, and which websites may. */
export function EmbeddingPage() {
  return (
    <AdminOnly>
      <Embedding />
    </AdminOnly>
  );
}

/** The usual search of visitors. */
const FIRST_SEARCH: CatalogueSearch = { status: ['available'] };

function Embedding() {
  const t = useTranslations('administration.embedding');
  const [search, setSearch] = useState(FIRST_SEARCH);
  const [options, setOptions] = useState<EmbedOptions>({ limit: DEFAULT_PETS, theme: 'auto' });
  const query = queryOf(search, options);
  const isReady = useOwnDocument();
  return (
    <AdminPage title={t('title')} lead={t('lead')} isNarrow>
      <div className="stack">
        <Section title={t('pets')} lead={t('petsLead')}>
          <EmbedFields search={search} options={options} onSearch={setSearch} onOptions={setOptions} />
        </Section>
        <Section title={t('preview')}>{isReady && <Preview query={query} />}</Section>
        <Snippets query={query} />
        <AllowedSites />
      </div>
    </AdminPage>
  );
}

/**
 * Only the document of this page may have frames (`http/web/policy.ts`). Loads it if the application began on another
 * page.
 */
function useOwnDocument(): boolean {
  const [isOwn] = useState(() => {
    const [document] = performance.getEntriesByType('navigation');
    return document === undefined || new URL(document.name).pathname === location.pathname;
  });
  useEffect(() => {
    if (!isOwn) location.reload();
  }, [isOwn]);
  return isOwn;
}
