import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import styles from './administration.module.css';

/** What there is for administrators. */
export function AdminTabs() {
  const t = useTranslations('administration');
  const tab = { className: styles['tab'], activeProps: { className: styles['activeTab'] } };
  return (
    <nav aria-label={t('title')} className={styles['tabs']}>
      <Link to="/admin/users" {...tab} activeOptions={{ includeSearch: false }}>
        {t('users.title')}
      </Link>
      <Link to="/admin/audit" {...tab} activeOptions={{ includeSearch: false }}>
        {t('audit.title')}
      </Link>
    </nav>
  );
}
