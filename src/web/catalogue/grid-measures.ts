import { useLayoutEffect, useState, type RefObject } from 'react';

/** How the grid stands on the page, in pixels. */
export interface GridMeasures {
  columns: number;
  /** Of a card with the gap below it. All are of one height. */
  rowHeight: number;
  /** From the top of the page to the first card. */
  top: number;
  /** Until then, only the first card has its place. */
  isMeasured: boolean;
}

/** What was measured last: who comes back to the catalogue finds it at once as it was left. */
let latest: GridMeasures = { columns: 1, rowHeight: 380, top: 200, isMeasured: false };

/** Measures the grid as its style sheet lays it out, whenever something on the page changes its size. */
export function useGridMeasures(grid: RefObject<HTMLElement | null>): GridMeasures {
  const [measures, setMeasures] = useState(latest);
  useLayoutEffect(() => {
    const element = grid.current;
    if (element === null) return undefined;
    const measure = () => {
      latest = measureGrid(element);
      setMeasures((before) => (isSame(before, latest) ? before : latest));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // What stands above the grid moves it.
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [grid]);
  return measures;
}

function measureGrid(grid: HTMLElement): GridMeasures {
  const { gridTemplateColumns, rowGap } = getComputedStyle(grid);
  const card = grid.firstElementChild?.getBoundingClientRect();
  return {
    columns: gridTemplateColumns.split(' ').length,
    rowHeight: card === undefined ? latest.rowHeight : card.height + Number.parseFloat(rowGap),
    top: grid.getBoundingClientRect().top + window.scrollY,
    isMeasured: card !== undefined,
  };
}

function isSame(one: GridMeasures, other: GridMeasures): boolean {
  return (
    one.columns === other.columns &&
    one.rowHeight === other.rowHeight &&
    one.top === other.top &&
    one.isMeasured === other.isMeasured
  );
}
