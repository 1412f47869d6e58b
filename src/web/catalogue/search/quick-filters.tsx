import { useState } from 'react';
import { useFacets } from './facets.ts';
import { QuickList } from './quick-list.tsx';
import type { SearchAddress } from './search-address.ts';
import type { Criterion } from './search-criteria.ts';

/** Whether the quick filters show and remove this criterion. */
export function isQuick({ kind, value }: Criterion): boolean {
  return kind === 'category' || (kind === 'status' && value === 'available');
}

/** The quick filters as toggle buttons. Those without results look different. */
export function QuickFilters({ address: { search, change } }: { address: SearchAddress }) {
  const [initial] = useState(search);
  const { facets, areCounted } = useFacets(search);
  const available = facets?.statuses.find(({ status }) => status === 'available')?.count;
  const counts = new Map(facets?.categories.map(({ name, count }) => [name, count]));
  return (
    <QuickList
      search={search}
      initial={initial}
      categories={[...counts.keys()]}
      renderFilter={({ category, change: toggled, attributes, children }) => (
        <button
          type="button"
          {...attributes}
          aria-pressed={attributes['data-chosen'] === true}
          data-empty={(areCounted && (category === undefined ? available : counts.get(category)) === 0) || undefined}
          onClick={() => change(toggled)}
        >
          {children}
        </button>
      )}
    />
  );
}
