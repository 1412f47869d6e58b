import type { Iterations } from '../../../domain/ports.ts';

/**
 * Starts the work that arrives in one iteration of the event loop together, after all input of the iteration has been
 * read: what each piece of work reads synchronously is as new as if it were alone.
 *
 * @param inSnapshot runs work on one state of the database, which is not older than the work
 */
export function gatherIterations(inSnapshot: (work: () => void) => void): Iterations {
  let waiting: (() => void)[] = [];

  function beginAll(): void {
    const beginning = waiting;
    waiting = [];
    let begun = 0;
    const beginRest = () => {
      while (begun < beginning.length) beginning[begun++]?.();
    };
    try {
      inSnapshot(beginRest);
    } catch {
      // The database cannot be read. Work that reads gets the error itself, and work that does not read is done.
      beginRest();
    }
  }

  return (begin) => {
    if (waiting.length === 0) setImmediate(beginAll);
    waiting.push(begin);
  };
}
