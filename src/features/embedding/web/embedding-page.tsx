import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { DEFAULT_PETS, type EmbedOptions } from '../api/embed-options.ts';
import { Section } from '../../../web/account/section.tsx';
import { SecretField } from '../../../web/design/secret-field.tsx';
import { bootstrap } from '../../../web/service/bootstrap.ts';
import { AdminOnly, AdminPage } from '../../../web/administration/admin-page.tsx';
import adminStyles from '../../../web/administration/administration.module.css';
import { AllowedSites } from './allowed-sites.tsx';
import { EmbedFields } from './embed-fields.tsx';
import { framePath, frameSnippet, queryOf, scriptSnippet } from './snippets.ts';
import styles from './embedding.module.css';

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
    <AdminPage title={t('title')} lead={t('lead')}>
      <div className={adminStyles['columns']}>
        <div className="stack">
          <Section title={t('pets')} lead={t('petsLead')}>
            <EmbedFields search={search} options={options} onSearch={setSearch} onOptions={setOptions} />
          </Section>
          <Snippets query={query} />
          <AllowedSites />
        </div>
        <Section title={t('preview')}>{isReady && <Preview query={query} />}</Section>
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

function Preview({ query }: { query: string }) {
  const t = useTranslations('administration.embedding');
  return (
    <iframe
      className={styles['preview']}
      src={bootstrap.basePath + framePath(query)}
      title={t('preview')}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
    />
  );
}

function Snippets({ query }: { query: string }) {
  const t = useTranslations('administration.embedding');
  const title = t('frameTitle', { site: bootstrap.site.name });
  const snippet = { base: location.origin + bootstrap.basePath, query, title };
  return (
    <Section title={t('snippet')} lead={t('snippetLead')}>
      <SecretField label={t('script')} value={scriptSnippet(snippet)} />
      <SecretField label={t('frame')} value={frameSnippet(snippet)} />
    </Section>
  );
}
