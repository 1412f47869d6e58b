import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { Bootstrap } from '../../api/web/bootstrap.ts';
import { Logo } from '../design/logo.tsx';
import { PageLink } from '../design/page-link.tsx';
import bar from './navigation.module.css';
import shell from './shell.module.css';

interface HeaderProps extends Pick<Bootstrap, 'access' | 'site'> {
  /** The links of the navigation. Without them, their space is reserved. */
  children?: ReactNode;
}

/** The top of every page, in the application and in the first view. */
export function Header({ access, site: { name, logo }, children }: HeaderProps) {
  const t = useTranslations('app');
  return (
    <>
      <header className={bar['bar']}>
        <PageLink to="/" className={bar['home']}>
          {logo === undefined ? <Logo /> : <img {...logo} alt="" className={bar['logo']} />}
          <span>{name}</span>
        </PageLink>
        {children ?? (
          <div className={bar['links']}>
            <span className={bar['link']}>&nbsp;</span>
          </div>
        )}
      </header>
      {/* A landmark of its own: the header would keep it in view. */}
      {access === 'sandbox' && <aside className={shell['notice']}>{t('sandbox')}</aside>}
    </>
  );
}
