import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { Bootstrap } from '../../api/web/bootstrap.ts';
import { Logo } from '../design/logo.tsx';
import { PageLink } from '../design/page-link.tsx';
import bar from './navigation.module.css';
import shell from './shell.module.css';

/** At the top of every page, also in the first view. `children` are the links of the navigation. */
export function Header({ access, children }: Pick<Bootstrap, 'access'> & { children: ReactNode }) {
  const t = useTranslations('app');
  return (
    <>
      <header className={bar['bar']}>
        <PageLink to="/" className={bar['home']}>
          <Logo />
          <span>{t('name')}</span>
        </PageLink>
        {children}
      </header>
      {access === 'sandbox' && (
        <p className={shell['notice']} role="note">
          {t('sandbox')}
        </p>
      )}
    </>
  );
}
