import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { COLOR_SCHEMES, useColorScheme } from '../design/color-scheme.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { usePermissions } from '../service/current-user.ts';
import type { Language } from '../../api/web/languages.ts';
import { LANGUAGE_NAMES } from '../texts/languages.ts';
import { chooseLanguage, useLanguage } from '../texts/loaded-texts.ts';
import styles from './footer.module.css';

/** Version, API documentation, theme and language. */
export function Footer() {
  const t = useTranslations('app');
  const { writePets } = usePermissions();
  const language = useLanguage();
  const [colorScheme, chooseColorScheme] = useColorScheme();
  return (
    <footer className={styles['footer']}>
      <div className={styles['inner']}>
        <p className={styles['about']}>
          {t('version', { version: bootstrap.version })}
          <a href={`${bootstrap.basePath}/docs`}>{t('interface')}</a>
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
          <select
            value={language}
            onChange={({ currentTarget }) => void chooseLanguage(currentTarget.value as Language)}
          >
            {Object.entries(LANGUAGE_NAMES).map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
    </footer>
  );
}
