import { ArrowUp, ArrowUpDown } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { MoreButton } from '../../design/buttons.tsx';
import { COLUMNS, remember, remembered, sortOf, type Column, type Sort } from './columns.ts';
import styles from './pet-table.module.css';
import { PetRow, type FoundPet } from './pet-row.tsx';

export interface PetTableProps {
  address: { search: CatalogueSearch; change: (change: { sort: Sort | undefined }) => void };
  results: {
    /** The pets with whole profiles. */
    items: readonly FoundPet[] | undefined;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
}

/** The results of a search as a table, in which status and location are changed in place. */
export function PetTable({ address, results }: PetTableProps) {
  const t = useTranslations('listEditing.table');
  const [columns, setColumns] = useState(() => remembered().columns);
  const choose = (next: readonly Column[]) => {
    setColumns(next);
    remember({ columns: next });
  };
  return (
    <div className="stack">
      <ColumnChoice columns={columns} onChoose={choose} />
      {/* Focusable, so that it can be scrolled with the keyboard. */}
      <div className={styles['scroller']} role="region" aria-label={t('label')} tabIndex={0}>
        <table className="table">
          <thead>
            <tr>
              {(['name', ...columns] as const).map((column) => (
                <Header key={column} column={column} address={address} />
              ))}
            </tr>
          </thead>
          <tbody>
            {results.items?.map((found) => (
              <PetRow key={String(found.pet.id)} {...found} columns={columns} />
            ))}
          </tbody>
        </table>
      </div>
      <MoreButton list={results} label={t('more')} />
    </div>
  );
}

function ColumnChoice({
  columns,
  onChoose,
}: {
  columns: readonly Column[];
  onChoose: (next: readonly Column[]) => void;
}) {
  const t = useTranslations('listEditing.table');
  return (
    <details>
      <summary>{t('columns')}</summary>
      <ul className="row">
        {COLUMNS.map((column) => (
          <li key={column}>
            <label>
              <input
                type="checkbox"
                checked={columns.includes(column)}
                onChange={({ currentTarget: { checked } }) =>
                  onChoose(COLUMNS.filter((each) => (each === column ? checked : columns.includes(each))))
                }
              />{' '}
              <ColumnName column={column} />
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface HeaderProps extends Pick<PetTableProps, 'address'> {
  column: Column | 'name';
}

/** Sorts the list of the service, and again returns to its usual order. */
function Header({ column, address }: HeaderProps) {
  const sort = sortOf(column);
  if (sort === undefined)
    return (
      <th scope="col">
        <ColumnName column={column} />
      </th>
    );
  const isSorted = address.search.sort === sort;
  const Icon = isSorted ? ArrowUp : ArrowUpDown;
  return (
    <th scope="col" className="soft" aria-sort={isSorted ? 'ascending' : 'none'}>
      <button type="button" onClick={() => address.change({ sort: isSorted ? undefined : sort })}>
        <ColumnName column={column} /> <Icon size="1em" aria-hidden="true" />
      </button>
    </th>
  );
}

function ColumnName({ column }: { column: Column | 'name' }) {
  const t = useTranslations();
  if (column === 'id' || column === 'name' || column === 'status' || column === 'category' || column === 'tags')
    return t(`listEditing.table.column.${column}`);
  return t(`profile.field.${column}`);
}
