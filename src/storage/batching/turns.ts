import type { Turns } from '../../domain/ports.ts';

/**
 * What arrives within one turn of the event loop begins together, when the loop has handed out all input that had arrived: so what a store reads
 * for one of them is as new as what it would read for it alone.
 *
 * @param inSnapshot does work on one state of the data, no older than the work
 */
export function gatherTurns(inSnapshot: (work: () => void) => void): Turns {
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
      // There is no state to be had. They begin all the same: what reads meets the trouble by itself, and what does not read is answered.
      beginRest();
    }
  }

  return (begin) => {
    if (waiting.length === 0) setImmediate(beginAll);
    waiting.push(begin);
  };
}
