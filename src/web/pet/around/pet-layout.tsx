import { ArrowLeft } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { CatalogueAddress } from '../../../api/web/catalogue-search.ts';
import { PageLink } from '../../design/page-link.tsx';
import backStyles from './back-link.module.css';
import styles from './pet-layout.module.css';

interface PetLayoutProps {
  /** The link to the catalogue. */
  back: ReactNode;
  photos: ReactNode;
  /** Beside the photos; below them on a phone. */
  children: ReactNode;
  /** Below the photos; on a phone below the facts. */
  story?: ReactNode;
  others?: ReactNode;
}

/** The page of a pet, in the application and in the first view. */
export function PetLayout({ back, photos, children, story, others }: PetLayoutProps) {
  return (
    <div className={styles['page']}>
      {back}
      <article className={styles['pet']}>
        {photos}
        <div className={styles['side']}>{children}</div>
        {story}
      </article>
      {others}
    </div>
  );
}

interface BackLinkProps {
  search?: CatalogueAddress;
  onClick?: (event: MouseEvent) => void;
}

export function BackLink({ search = {}, onClick }: BackLinkProps) {
  const t = useTranslations('petPage');
  return (
    <PageLink to="/" search={search} className={backStyles['back']} onClick={onClick}>
      <ArrowLeft size="1.1em" aria-hidden />
      {t('back')}
    </PageLink>
  );
}

/** Reserves the space of the other pets while they load, so that nothing below moves. */
export function OtherPetsSkeleton() {
  return <div className={styles['othersPlace']} aria-hidden="true" />;
}
