import { useTranslations } from 'use-intl';
import { telephoneLink, type Contact } from '../../api/web/site.ts';
import styles from './about.module.css';

/** How to reach the shelter. It works without scripts. */
export function ContactDetails({ contact }: { contact: Contact }) {
  const t = useTranslations('about');
  const { telephone, email, website, address, openingHours } = contact;
  return (
    <address className={styles['contact']}>
      {telephone !== undefined && <a href={telephoneLink(telephone)}>{telephone}</a>}
      {email !== undefined && <a href={`mailto:${email}`}>{email}</a>}
      {website !== undefined && <a href={website}>{website.replace(/^https?:\/\/|\/$/gi, '')}</a>}
      {address !== undefined && <span>{address}</span>}
      {openingHours !== undefined && (
        <span>
          <strong>{t('openingHours')}</strong>
          {`\n${openingHours}`}
        </span>
      )}
    </address>
  );
}
