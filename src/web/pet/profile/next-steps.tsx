import { useLocale, useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import type { Site } from '../../../api/web/site.ts';
import { textsIn } from '../../../api/words/organisation-texts.ts';
import { CommonQuestions } from '../../about/common-questions.tsx';
import { PageLink } from '../../design/page-link.tsx';
import styles from './profile.module.css';

/** The steps of an adoption, the opening hours and the frequent questions. */
export function NextSteps({ about: { organisation = {} }, site }: { about: AboutPet; site: Site }) {
  const t = useTranslations('petPage.next');
  // The locale has a region, such as en-GB.
  const { adoptionSteps, openingHours, commonQuestions } = textsIn(
    organisation,
    useLocale().startsWith('de') ? 'de' : 'en',
  );
  const hasNext = adoptionSteps !== undefined || openingHours !== undefined;
  return (
    <>
      {hasNext && (
        <section>
          <h2>{t('title')}</h2>
          {adoptionSteps && (
            <ol lang={adoptionSteps.lang}>
              {adoptionSteps.text.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          )}
          {openingHours && (
            <>
              <h3>{t('openingHours')}</h3>
              <p className={styles['lines']} lang={openingHours.lang}>
                {openingHours.text}
              </p>
            </>
          )}
          {site.contact && (
            <PageLink to="/about" hash="contact">
              {t('contact')}
            </PageLink>
          )}
        </section>
      )}
      {commonQuestions && (
        <section>
          <h2>{t('questions')}</h2>
          <CommonQuestions {...commonQuestions} />
        </section>
      )}
    </>
  );
}
