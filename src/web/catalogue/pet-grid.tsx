import { lazy, memo, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { petReturnedFrom } from '../routing/navigation-history.ts';
import { extraPart, loadWhenIdle } from '../service/browser.ts';
import { usePermissions } from '../service/current-user.ts';
import type { SearchResult } from './arrivals.ts';
import { useGridMetrics } from './grid-metrics.ts';
import { FIRST_PHOTOS, PetCard, PetCardSkeleton } from './pet-card.tsx';
import styles from './pet-grid.module.css';
import { useVisibleIndexes, useIsPrinting } from './visible-cards.ts';

const CardCorner = lazy(async () => ({
  default: (await loadWhenIdle(() => import('../list-editing/card-corner.tsx'))).CardCorner,
}));

const FavouriteButton = extraPart(async () => (await import('../design/favourite-button.tsx')).FavouriteButton);

/** More pets are loaded when the last row is this near. */
const ROWS_AHEAD = 4;

interface PetGridProps {
  items: readonly SearchResult[];
  /** The search of the results. The results of another search get new cards, instead of moving the old ones. */
  resultsAddress: string;
  /** Number of cards to reserve space for, loaded or not. */
  slotCount: number;
  /** Total number of results; undefined while it is unknown. */
  total: number | undefined;
  /** The results are those of the previous search. */
  isOld: boolean;
  /** Index of a card that will get the focus: it is rendered at any scroll position. */
  awaitedIndex: number | undefined;
  /** Called when the last loaded rows come near. */
  onNearEnd: () => void;
}

/** A virtualized grid: only cards on the screen and near it are in the document. */
export function PetGrid({ items, resultsAddress, slotCount, total, isOld, awaitedIndex, onNearEnd }: PetGridProps) {
  const t = useTranslations('catalogue.results');
  const { writePets } = usePermissions();
  const grid = useRef<HTMLUListElement>(null);
  const metrics = useGridMetrics(grid);
  const [begin] = useState(() => placeOf(items, petReturnedFrom()));
  const visible = useVisibleIndexes(grid, slotCount, metrics, begin, awaitedIndex);
  const isPrinting = useIsPrinting();
  const { columns, rowHeight } = metrics;
  const isNearEnd = (visible.at(-1) ?? 0) >= items.length - ROWS_AHEAD * columns;
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
      style={{ height: Math.ceil(slotCount / columns) * rowHeight }}
    >
      {(isPrinting ? [...items.keys()] : visible).map((index) => {
        const item = items[index];
        return (
          <li
            key={item === undefined ? `place ${index}` : `${resultsAddress} ${item.pet.id}`}
            className={styles['place']}
            aria-hidden={item === undefined}
            aria-setsize={total ?? -1}
            aria-posinset={index + 1}
            data-index={index}
            style={{ gridColumn: columnOf(index % columns), top: Math.floor(index / columns) * rowHeight }}
          >
            {item === undefined ? (
              <PetCardSkeleton />
            ) : (
              <GridCard {...item} isFirst={index < Math.max(columns, FIRST_PHOTOS)} hasTools={writePets} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Memoized: scrolling renders the grid again. */
const GridCard = memo(function GridCard({ hasTools, ...card }: SearchResult & { isFirst: boolean; hasTools: boolean }) {
  const { id, name } = card.pet;
  return (
    <PetCard
      {...card}
      corner={
        <Suspense>
          {hasTools && <CardCorner pet={card.pet} />}
          <FavouriteButton id={String(id)} name={name} />
        </Suspense>
      }
    />
  );
});

function placeOf(items: readonly SearchResult[], petId: string | undefined): number | undefined {
  const place = items.findIndex(({ pet }) => String(pet.id) === petId);
  return place === -1 ? undefined : place;
}

/** With an end line: otherwise a positioned card would extend to the edge of the grid. */
function columnOf(column: number): string {
  return `${column + 1} / ${column + 2}`;
}
