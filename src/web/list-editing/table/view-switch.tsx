import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { remember, remembered } from './columns.ts';
import type { PetTableProps } from './pet-table.tsx';

type View = (props: PetTableProps) => ReactNode;

const WIDE = matchMedia('(min-width: 48rem)');

interface ViewSwitchProps {
  /** Receives the table, or undefined for cards. */
  onView: (view: View | undefined) => void;
}

/** Switches between cards and a table, and remembers the choice. On phones, there are only cards. */
export function ViewSwitch({ onView }: ViewSwitchProps) {
  const t = useTranslations('listEditing.table');
  const [isTable, setIsTable] = useState(() => remembered().isTable);
  const isWide = useSyncExternalStore(subscribe, () => WIDE.matches);
  const isShown = isTable && isWide;
  useEffect(() => {
    if (!isShown) return onView(undefined);
    let isOver = false;
    void import('./pet-table.tsx').then(({ PetTable }) => !isOver && onView(PetTable));
    return () => {
      isOver = true;
    };
  }, [isShown, onView]);
  if (!isWide) return null;
  return (
    <Button
      variant="default"
      onClick={() => {
        setIsTable(!isTable);
        remember({ isTable: !isTable });
      }}
    >
      {t(isTable ? 'toCards' : 'toTable')}
    </Button>
  );
}

function subscribe(onChange: () => void): () => void {
  WIDE.addEventListener('change', onChange);
  return () => WIDE.removeEventListener('change', onChange);
}
