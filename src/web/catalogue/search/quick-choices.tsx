import { isEmpty, usePetChoices } from './pet-choices.ts';
import { QuickList } from './quick-list.tsx';
import type { SearchAddress } from './search-address.ts';
import type { Part } from './search-parts.ts';

/** What is seen to be chosen there, and taken off there. */
export function isQuick({ kind, value }: Part): boolean {
  return kind === 'category' || (kind === 'status' && value === 'available');
}

/** The quick choices as toggle buttons. Choices that would find nothing look so. */
export function QuickChoices({ address: { search, change } }: { address: SearchAddress }) {
  const { choices, areCounted } = usePetChoices(search);
  const available = choices?.statuses.find(({ status }) => status === 'available');
  const counts = new Map(choices?.categories.map((counted) => [counted.name, counted]));
  return (
    <QuickList
      search={search}
      categories={[...counts.keys()]}
      renderChoice={({ category, change: toggled, look, children }) => (
        <button
          type="button"
          {...look}
          aria-pressed={look['data-chosen'] === true}
          data-empty={(areCounted && isEmpty(category === undefined ? available : counts.get(category))) || undefined}
          onClick={() => change(toggled)}
        >
          {children}
        </button>
      )}
    />
  );
}
