import { useLocale, useTranslations } from 'use-intl';
import type { OrganisationView } from '../../api/web/first-view.ts';
import { textsIn } from '../../api/words/organisation-texts.ts';
import { Section } from '../account/section.tsx';
import { Page } from '../design/page.tsx';
import { ContactDetails } from './contact-details.tsx';
import styles from './about.module.css';

/** What the organisation says about itself, in the application and in the first view. */
export function AboutView({ organisation }: { organisation: OrganisationView }) {
  const t = useTranslations('about');
  const { contact, locations } = organisation;
  // The locale has a region, such as en-GB.
  const { about, adoptionSteps, openingHours } = textsIn(organisation, useLocale().startsWith('de') ? 'de' : 'en');
  return (
    <Page title={t('title')} isNarrow>
      {about !== undefined && (
        <Section title={organisation.name ?? t('about')}>
          {/* Written by the service from Markdown, with few elements and no others. */}
          <div lang={about.lang} dangerouslySetInnerHTML={{ __html: about.text }} />
        </Section>
      )}
      {(contact !== undefined || openingHours !== undefined) && (
        <Section title={t('contact')} anchor="contact">
          <ContactDetails contact={contact ?? {}} openingHours={openingHours} />
        </Section>
      )}
      {adoptionSteps !== undefined && (
        <Section title={t('adoption')}>
          <ol lang={adoptionSteps.lang}>
            {adoptionSteps.text.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </Section>
      )}
      {locations !== undefined && (
        <Section title={t('locations')}>
          <ul>
            {locations.map(({ id, name, address, place }) => (
              <li key={id} className={styles['text']}>
                <strong>{name}</strong>
                {[address, place].map((line) => line !== undefined && `\n${line}`)}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </Page>
  );
}
