import { useState } from 'react';
import { usePermissions } from '../../service/current-user.ts';
import { useFacets } from './facets.ts';
import { QuickList } from './quick-list.tsx';
import type { SearchAddress } from './search-address.ts';

/** The quick filters as toggle buttons. Those without results look different. */
export function QuickFilters({ address: { search, change } }: { address: SearchAddress }) {
  const [initial] = useState(search);
  const { writePets } = usePermissions();
  const { facets, areCounted } = useFacets(search);
  const { statuses = [], species = [], categories: category = [], goodWith = [] } = facets ?? {};
  const counted = { status: statuses.map(({ status: name, count }) => ({ name, count })), species, category, goodWith };
  const namesOf = (kind: Exclude<keyof typeof counted, 'status'>) => counted[kind].map(({ name }) => name);
  return (
    <QuickList
      search={search}
      initial={initial}
      known={{ species: namesOf('species'), category: namesOf('category'), goodWith: namesOf('goodWith') }}
      managesPets={writePets}
      renderFilter={({ kind, value, change: toggled, attributes, children }) => (
        <button
          type="button"
          {...attributes}
          aria-pressed={attributes['data-chosen'] === true}
          data-empty={(areCounted && counted[kind].find(({ name }) => name === value)?.count === 0) || undefined}
          onClick={() => change(toggled)}
        >
          {children}
        </button>
      )}
    />
  );
}
