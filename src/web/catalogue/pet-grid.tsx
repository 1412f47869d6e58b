import { lazy, memo, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { petComeBackFrom } from '../app/trail.ts';
import { firstIdle } from '../service/browser.ts';
import { usePermissions } from '../service/current-user.ts';
import type { FoundPet } from './arrivals.ts';
import { useGridMeasures } from './grid-measures.ts';
import { FIRST_PHOTOS, PetCard, PetCardSkeleton } from './pet-card.tsx';
import styles from './pet-grid.module.css';
import { usePlacesInSight, usePrinting } from './places-in-sight.ts';

const CardCorner = lazy(async () => {
  await firstIdle();
  return { default: (await import('../list-editing/card-corner.tsx')).CardCorner };
});

/** So many rows before the last that is there, more are asked for. */
const ROWS_AHEAD = 4;

interface PetGridProps {
  found: readonly FoundPet[];
  /** Which search found them: the answer to another has cards of its own, rather than moving those that were there. */
  answered: string;
  /** Places to keep, whether their pets are there already or not. */
  places: number;
  /** Of all there are, where it is known. */
  total: number | undefined;
  /** What is seen is of the search before. */
  isOld: boolean;
  /** The last places are near. */
  onNearEnd: () => void;
}

/** The pets in rows. Only what is on the screen and around it is in the document, so that thousands are no more than a few. */
export function PetGrid({ found, answered, places, total, isOld, onNearEnd }: PetGridProps) {
  const t = useTranslations('catalogue.results');
  const { writePets } = usePermissions();
  const grid = useRef<HTMLUListElement>(null);
  const measures = useGridMeasures(grid);
  const [begin] = useState(() => placeOf(found, petComeBackFrom()));
  const inSight = usePlacesInSight(grid, places, measures, begin);
  const isPrinting = usePrinting();
  const { columns, rowHeight } = measures;
  const isNearEnd = (inSight.at(-1) ?? 0) >= found.length - ROWS_AHEAD * columns;
  useEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, onNearEnd]);
  return (
    <ul
      ref={grid}
      className={styles['grid']}
      aria-label={t('label')}
      aria-busy={isOld}
      data-old={isOld}
      style={{ height: Math.ceil(places / columns) * rowHeight }}
    >
      {(isPrinting ? [...found.keys()] : inSight).map((index) => {
        const pet = found[index];
        return (
          <li
            key={pet === undefined ? `place ${index}` : `${answered} ${pet.pet.id}`}
            className={styles['place']}
            aria-hidden={pet === undefined}
            aria-setsize={total ?? -1}
            aria-posinset={index + 1}
            data-index={index}
            style={{ gridColumn: columnOf(index % columns), top: Math.floor(index / columns) * rowHeight }}
          >
            {pet === undefined ? (
              <PetCardSkeleton />
            ) : (
              <GridCard {...pet} isFirst={index < Math.max(columns, FIRST_PHOTOS)} hasTools={writePets} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Memoized: scrolling renders the grid again. */
const GridCard = memo(function GridCard({ hasTools, ...card }: FoundPet & { isFirst: boolean; hasTools: boolean }) {
  const corner = (
    <Suspense>
      <CardCorner pet={card.pet} />
    </Suspense>
  );
  return <PetCard {...card} corner={hasTools ? corner : undefined} />;
});

function placeOf(found: readonly FoundPet[], petId: string | undefined): number | undefined {
  const place = found.findIndex(({ pet }) => String(pet.id) === petId);
  return place === -1 ? undefined : place;
}

/** With its end: what is positioned reaches to the edge of the grid without one. */
function columnOf(column: number): string {
  return `${column + 1} / ${column + 2}`;
}
