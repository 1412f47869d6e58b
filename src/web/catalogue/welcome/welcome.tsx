import { useLocale, useTranslations } from 'use-intl';
import type { OrganisationView } from '../../../api/web/first-view.ts';
import type { Site } from '../../../api/web/site.ts';
import { textsIn } from '../../../api/words/organisation-texts.ts';
import buttons from '../../design/buttons.module.css';
import { PageLink } from '../../design/page-link.tsx';
import styles from './welcome.module.css';

/** More steps are on the page about the organisation. */
const STEPS = 3;

interface WelcomeProps {
  organisation: OrganisationView;
  site: Site;
}

/** Whose pets these are, and how a family adopts one; in the application and in the first view. */
export function Welcome({ organisation, site }: WelcomeProps) {
  const t = useTranslations('catalogue.welcome');
  // The locale has a region, such as en-GB.
  const { summary, adoptionSteps, openingHours } = textsIn(organisation, useLocale().startsWith('de') ? 'de' : 'en');
  const { donationUrl } = organisation;
  const places = placesOf(organisation);
  // The header of the page has the name.
  if ([places, summary, adoptionSteps, openingHours, donationUrl].every((part) => !part)) return null;
  return (
    <section className={`card ${styles['welcome']}`} aria-label={site.name}>
      <div className={styles['part']}>
        <p className={styles['name']}>{site.name}</p>
        {places !== '' && <p className="soft">{places}</p>}
        {summary && <p lang={summary.lang}>{summary.text}</p>}
        <p className="row">
          <PageLink to="/about" hash="contact" className={buttons['button']} data-variant="default">
            {t('about')}
          </PageLink>
          {donationUrl !== undefined && (
            <a href={donationUrl} className={buttons['button']} data-variant="filled">
              {t('donate')}
            </a>
          )}
        </p>
      </div>
      {adoptionSteps && (
        <div className={styles['part']}>
          <strong>{t('steps')}</strong>
          <ol lang={adoptionSteps.lang}>
            {adoptionSteps.text.slice(0, STEPS).map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      )}
      {openingHours && (
        <div className={styles['part']}>
          <strong>{t('openingHours')}</strong>
          <p lang={openingHours.lang} className={styles['lines']}>
            {openingHours.text}
          </p>
        </div>
      )}
    </section>
  );
}

/** The towns of the locations, or the last line of the address. */
function placesOf({ locations = [], contact }: OrganisationView): string {
  const places = new Set(locations.flatMap(({ place }) => place ?? []));
  return places.size > 0 ? [...places].join(' · ') : (contact?.address?.split('\n').at(-1) ?? '');
}
