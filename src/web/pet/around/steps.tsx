import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useTranslations } from 'use-intl';
import type { PetView } from '../../service/queries.ts';
import { useNeighbours } from './neighbours.ts';
import styles from './pet-navigation.module.css';

/**
 * Links to the neighbours of a pet in the list that the user came from.
 *
 * @param id its digits
 */
export function Steps({ id }: { id: string }) {
  const t = useTranslations('petPage.steps');
  const neighbours = useNeighbours(id);
  if (neighbours === undefined) return null;
  const { previous, next, place, total } = neighbours;
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
