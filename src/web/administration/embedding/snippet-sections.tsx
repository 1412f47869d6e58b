import { useTranslations } from 'use-intl';
import { Section } from '../../account/section.tsx';
import { SecretField } from '../../design/secret-field.tsx';
import { bootstrap } from '../../service/bootstrap.ts';
import { framePath, frameSnippet, scriptSnippet } from './snippets.ts';

/** Not in a style sheet, because visitors load that as well. Resizable, to try the widths of other websites. */
const PREVIEW_STYLE = {
  width: '100%',
  minWidth: '12rem',
  maxWidth: '100%',
  height: '36rem',
  border: '1px dashed var(--line-strong)',
  resize: 'both',
} as const;

export function Preview({ query }: { query: string }) {
  const t = useTranslations('administration.embedding');
  return (
    <iframe
      style={PREVIEW_STYLE}
      src={bootstrap.basePath + framePath(query)}
      title={t('preview')}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
    />
  );
}

export function Snippets({ query }: { query: string }) {
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
