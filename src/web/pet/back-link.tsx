import { Link, useRouter } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { INDEX, isCatalogueBehind, lastCatalogueSearch } from '../app/trail.ts';
import styles from './back-link.module.css';

/** To the list that the reader came from, at the place where they were. */
export function BackLink() {
  const t = useTranslations('petPage');
  const { history } = useRouter();
  return (
    <Link
      to="/"
      search={lastCatalogueSearch()}
      className={styles['back']}
      onClick={(event) => {
        const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
        if (opensElsewhere || !isCatalogueBehind(history.location.state[INDEX])) return;
        event.preventDefault();
        history.back();
      }}
    >
      <ArrowLeft size="1.1em" aria-hidden />
      {t('back')}
    </Link>
  );
}
