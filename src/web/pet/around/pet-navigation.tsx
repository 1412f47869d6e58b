import { Link, useRouter } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { HISTORY_INDEX, isCataloguePrevious, lastCatalogueSearch } from '../../routing/navigation-history.ts';
import type { PetView } from '../../service/queries.ts';
import { BackLink } from './pet-layout.tsx';
import { useNeighbours, type Neighbours } from './neighbours.ts';
import styles from './pet-navigation.module.css';

/**
 * Links to the list and to the neighbours of the pet in it.
 *
 * @param id its digits
 */
export function PetNavigation({ id }: { id: string }) {
  const neighbours = useNeighbours(id);
  if (neighbours === undefined) return <CatalogueLink />;
  return (
    <div className={styles['way']}>
      <CatalogueLink />
      <Steps {...neighbours} />
    </div>
  );
}

/** Leads to the list that the user came from, at the same position. */
function CatalogueLink() {
  const { history } = useRouter();
  return (
    <BackLink
      search={lastCatalogueSearch()}
      onClick={(event) => {
        const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
        if (opensElsewhere || !isCataloguePrevious(history.location.state[HISTORY_INDEX])) return;
        event.preventDefault();
        history.back();
      }}
    />
  );
}

function Steps({ previous, next, place, total }: Neighbours) {
  const t = useTranslations('petPage.steps');
  return (
    <nav className={styles['steps']} aria-label={t('label')}>
      <Step to={previous} label={t('previous', { name: previous?.name ?? '' })} icon={<ChevronLeft aria-hidden />} />
      <span className={styles['place']}>{t('place', { place, total })}</span>
      <Step to={next} label={t('next', { name: next?.name ?? '' })} icon={<ChevronRight aria-hidden />} />
    </nav>
  );
}

interface StepProps {
  to: PetView | undefined;
  label: string;
  icon: React.ReactNode;
}

/** Replaces the history entry: going back leads to the list, however many pets were viewed. */
function Step({ to, label, icon }: StepProps) {
  if (to === undefined) return <span className={styles['step']}>{icon}</span>;
  return (
    <Link
      to="/pets/$petId"
      params={{ petId: String(to.id) }}
      replace
      className={styles['step']}
      aria-label={label}
      title={label}
    >
      {icon}
    </Link>
  );
}
