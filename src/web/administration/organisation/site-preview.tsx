import { PawPrint } from 'lucide-react';
import type { CSSProperties } from 'react';
import { useTranslations } from 'use-intl';
import { accentTokens } from '../../../api/web/accent-styles.ts';
import { DEFAULT_NAME } from '../../../api/web/site.ts';
import { AboutSections } from '../../about/about-view.tsx';
import { Header } from '../../design/header.tsx';
import bar from '../../design/header.module.css';
import type { OrganisationFields, OrganisationView } from './organisation-fields.ts';
import { isColour } from './colour-field.tsx';
import { shownOf } from './shown-organisation.ts';
import styles from './organisation.module.css';

interface SitePreviewProps {
  /** The saved one. */
  organisation: OrganisationView;
  fields: OrganisationFields;
}

/** The header of all pages and the page about the organisation, as visitors will see them. */
export function SitePreview({ organisation, fields }: SitePreviewProps) {
  const t = useTranslations();
  const small = organisation.logo?.sizes.small;
  const logo = small && { logo: { src: small.url, width: small.width, height: small.height } };
  const isFormatted = fields.about === (organisation.about ?? '');
  return (
    <>
      {/* Its links lead nowhere. */}
      <div inert className={styles['site']} style={tokensOf(fields.accentColour)}>
        <Header access="secured" site={{ name: fields.name.trim() || DEFAULT_NAME, ...logo }}>
          <span className={bar['links']}>
            <span className={`${bar['link']} ${bar['active']}`}>
              <PawPrint size="1.25em" aria-hidden />
              {t('app.pets')}
            </span>
          </span>
        </Header>
        <AboutSections organisation={shownOf(organisation, fields)} />
      </div>
      {!isFormatted && <p className="soft small">{t('administration.organisation.previewHint')}</p>}
    </>
  );
}

/** The policy of the page allows styles that scripts set. */
function tokensOf(accentColour: string): CSSProperties | undefined {
  return isColour(accentColour) ? accentTokens(accentColour) : undefined;
}
