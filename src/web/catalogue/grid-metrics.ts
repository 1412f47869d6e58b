import { useLayoutEffect, useState, type RefObject } from 'react';

/** The layout of the grid, in pixels. */
export interface GridMetrics {
  columns: number;
  /** The height of a card and the gap below it. All cards have the same height. */
  rowHeight: number;
  /** From the top of the page to the first card. */
  top: number;
  /** Until then, only the first card is rendered. */
  isMeasured: boolean;
}

/** The last measurement, so that returning to the catalogue renders the same layout immediately. */
let latest: GridMetrics = { columns: 1, rowHeight: 380, top: 200, isMeasured: false };

/** Measures the grid after its style sheet has laid it out, and again when its size or position changes. */
export function useGridMetrics(grid: RefObject<HTMLElement | null>): GridMetrics {
  const [metrics, setMetrics] = useState(latest);
  useLayoutEffect(() => {
    const element = grid.current;
    if (element === null) return undefined;
    const measure = () => {
      latest = measureGrid(element);
      setMetrics((before) => (isSame(before, latest) ? before : latest));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // Content above the grid moves it.
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [grid]);
  return metrics;
}

function measureGrid(grid: HTMLElement): GridMetrics {
  const { gridTemplateColumns, rowGap } = getComputedStyle(grid);
  const card = grid.firstElementChild?.getBoundingClientRect();
  return {
    columns: gridTemplateColumns.split(' ').length,
    rowHeight: card === undefined ? latest.rowHeight : card.height + Number.parseFloat(rowGap),
    top: grid.getBoundingClientRect().top + window.scrollY,
    isMeasured: card !== undefined,
  };
}

function isSame(one: GridMetrics, other: GridMetrics): boolean {
  return (
    one.columns === other.columns &&
    one.rowHeight === other.rowHeight &&
    one.top === other.top &&
    one.isMeasured === other.isMeasured
  );
}
