import { useTranslations } from 'use-intl';
import { telephoneLink, type Contact } from '../../api/web/site.ts';
import type { ShownText } from '../../api/words/organisation-texts.ts';
import styles from './about.module.css';

interface ContactDetailsProps {
  contact: Contact;
  openingHours: ShownText<string> | undefined;
}

/** How to reach the shelter. It works without scripts. */
export function ContactDetails({ contact, openingHours }: ContactDetailsProps) {
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
