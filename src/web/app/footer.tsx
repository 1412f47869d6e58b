import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { telephoneLink, type Site } from '../../api/web/site.ts';
import { COLOR_SCHEMES, useColorScheme } from '../design/color-scheme.ts';
import { useStaffLinks } from '../features/staff-links.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { may, useCurrentUser, usePermissions } from '../service/current-user.ts';
import type { Language } from '../../api/web/languages.ts';
import { LANGUAGE_NAMES } from '../texts/languages.ts';
import { chooseLanguage, useLanguage } from '../texts/loaded-texts.ts';
import styles from './footer.module.css';

/** Contact, version, API documentation, theme and language. */
export function FooterContent() {
  const t = useTranslations('app');
  const all = useTranslations();
  const { writePets } = usePermissions();
  const isPlayground = bootstrap.basePath.includes('/s/');
  const mayCreate = may(useCurrentUser(), 'create playgrounds') && bootstrap.playgrounds === true;
  const staffLinks = useStaffLinks(false);
  const language = useLanguage();
  const [colorScheme, chooseColorScheme] = useColorScheme();
  return (
    <div className={styles['inner']}>
      <SiteContact {...bootstrap.site} />
      <p className={styles['about']}>
        {t('version', { version: bootstrap.version })}
        <a href={`${bootstrap.basePath}/docs`}>{t('interface')}</a>
        {(isPlayground || mayCreate) && <Link to="/playground">{t('playground')}</Link>}
        {isPlayground && <Link to="/requests">{t('requests')}</Link>}
        {staffLinks.map(({ to, labelIn }) => (
          <Link key={to} to={to}>
            {labelIn(all)}
          </Link>
        ))}
        {writePets && <Link to="/pets/deleted">{t('deletedPets')}</Link>}
        {writePets && <Link to="/pets/transfer">{t('transfer')}</Link>}
      </p>
      <label className={styles['choice']}>
        {t('appearance')}
        <select
          value={colorScheme}
          onChange={({ currentTarget }) => chooseColorScheme(currentTarget.value as typeof colorScheme)}
        >
          {COLOR_SCHEMES.map((theme) => (
            <option key={theme} value={theme}>
              {t(`theme.${theme}`)}
            </option>
          ))}
        </select>
      </label>
      <label className={styles['choice']}>
        {t('language')}
        <select value={language} onChange={({ currentTarget }) => void chooseLanguage(currentTarget.value as Language)}>
          {Object.entries(LANGUAGE_NAMES).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The organisation, and how to reach it. */
function SiteContact({ name, contact: { telephone, email } = {}, isDescribed }: Site) {
  if (isDescribed === undefined) return null;
  return (
    <p className={styles['about']}>
      <Link to="/about">{name}</Link>
      {telephone !== undefined && <a href={telephoneLink(telephone)}>{telephone}</a>}
      {email !== undefined && <a href={`mailto:${email}`}>{email}</a>}
    </p>
  );
}
