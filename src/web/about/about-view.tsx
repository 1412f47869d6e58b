import { useLocale, useTranslations } from 'use-intl';
import type { OrganisationView } from '../../api/web/first-view.ts';
import { type Contact, telephoneLink } from '../../api/web/site.ts';
import { type ShownText, textsIn } from '../../api/words/organisation-texts.ts';
import { Section } from '../account/section.tsx';
import { Page } from '../design/page.tsx';
import { Locations } from './locations.tsx';
import styles from './about.module.css';
import { CommonQuestions } from './common-questions.tsx';

interface ContactDetailsProps {
  contact: Contact;
  openingHours: ShownText<string> | undefined;
}

/** The page about the organisation, in the application and in the first view. */
export function AboutView({ organisation }: { organisation: OrganisationView }) {
  const t = useTranslations('about');
  return (
    <Page title={t('title')} isNarrow>
      <AboutSections organisation={organisation} />
    </Page>
  );
}

/** What the organisation says about itself. */
export function AboutSections({ organisation }: { organisation: OrganisationView }) {
  const t = useTranslations('about');
  const { contact, locations, donationUrl } = organisation;
  // The locale has a region, such as en-GB.
  const { about, adoptionSteps, openingHours, commonQuestions } = textsIn(
    organisation,
    useLocale().startsWith('de') ? 'de' : 'en',
  );
  return (
    <>
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
        <Section title={t('adoption')} anchor="adoption">
          <ol lang={adoptionSteps.lang}>
            {adoptionSteps.text.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </Section>
      )}
      {commonQuestions !== undefined && (
        <Section title={t('questions')}>
          <CommonQuestions {...commonQuestions} />
        </Section>
      )}
      {donationUrl !== undefined && (
        <Section title={t('donations')}>
          <p>
            <a href={donationUrl}>{t('donate')}</a>
          </p>
        </Section>
      )}
      {locations !== undefined && (
        <Section title={t('locations')}>
          <Locations locations={locations} country={organisation.country} />
        </Section>
      )}
    </>
  );
}

/** The contact details of the shelter, with links that work without scripts. */
function ContactDetails({ contact, openingHours }: ContactDetailsProps) {
  const t = useTranslations('about');
  const { telephone, email, website, address } = contact;
  return (
    <address className={styles['contact']}>
      {telephone !== undefined && <a href={telephoneLink(telephone)}>{telephone}</a>}
      {email !== undefined && <a href={`mailto:${email}`}>{email}</a>}
      {website !== undefined && <a href={website}>{website.replace(/^https?:\/\/|\/$/gi, '')}</a>}
      {address !== undefined && <span>{address}</span>}
      {openingHours !== undefined && (
        <span>
          <strong>{t('openingHours')}</strong>
          <span lang={openingHours.lang}>{`\n${openingHours.text}`}</span>
        </span>
      )}
    </address>
  );
}
