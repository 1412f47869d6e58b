import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { Bootstrap } from '../../api/web/bootstrap.ts';
import { Logo } from './logo.tsx';
import { PageLink } from './page-link.tsx';
import styles from './header.module.css';

interface HeaderProps extends Pick<Bootstrap, 'access' | 'site'> {
  /** The links of the navigation. Without them, their space is reserved. */
  children?: ReactNode;
}

/** The top of every page, in the application and in the first view. */
export function Header({ access, site: { name, logo }, children }: HeaderProps) {
  const t = useTranslations('app');
  return (
    <>
      <header className={styles['bar']}>
        <PageLink to="/" className={styles['home']}>
          {logo === undefined ? <Logo /> : <img {...logo} alt="" className={styles['logo']} />}
          <span>{name}</span>
        </PageLink>
        {children ?? (
          <div className={styles['links']}>
            <span className={styles['link']}>&nbsp;</span>
          </div>
        )}
      </header>
      {/* A landmark of its own: the header would keep it in view. */}
      {access === 'sandbox' && <aside className={styles['notice']}>{t('sandbox')}</aside>}
    </>
  );
}
