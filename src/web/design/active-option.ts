import { useState } from 'react';

/**
 * The option of a combobox that the arrow keys have reached; none before the first and after the last.
 *
 * @param keys identify the options
 */
export function useActiveOption(keys: readonly string[]) {
  const [reached, setReached] = useState<string>();
  const index = reached === undefined ? -1 : keys.indexOf(reached);
  return {
    activeIndex: index === -1 ? undefined : index,
    move: (step: 1 | -1) => {
      const places = keys.length + 1;
      setReached(keys[((index + 1 + step + places) % places) - 1]);
    },
    reset: () => setReached(undefined),
  };
}
