import { Link, useRouter } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { INDEX, isCatalogueBehind, lastCatalogueSearch } from '../../app/trail.ts';
import type { PetView } from '../../service/queries.ts';
import { BackLink } from '../pet-layout.tsx';
import { useNeighbours, type Neighbours } from './neighbours.ts';
import styles from './way-from-pet.module.css';

/** Back to the list, and on to the pets beside this one in it. @param id its digits */
export function WayFromPet({ id }: { id: string }) {
  const neighbours = useNeighbours(id);
  if (neighbours === undefined) return <WayBack />;
  return (
    <div className={styles['way']}>
      <WayBack />
      <Steps {...neighbours} />
    </div>
  );
}

/** To the list that the reader came from, at their place in it. */
function WayBack() {
  const { history } = useRouter();
  return (
    <BackLink
      search={lastCatalogueSearch()}
      onClick={(event) => {
        const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
        if (opensElsewhere || !isCatalogueBehind(history.location.state[INDEX])) return;
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
      <span className={styles['place']}>{total === undefined ? place : t('place', { place, total })}</span>
      <Step to={next} label={t('next', { name: next?.name ?? '' })} icon={<ChevronRight aria-hidden />} />
    </nav>
  );
}

interface StepProps {
  to: PetView | undefined;
  label: string;
  icon: React.ReactNode;
}

/** In the place of the pet before in the history: one step back leads to the list, however many one has looked at. */
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
