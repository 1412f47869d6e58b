/*
 * Records events in the page before its first script runs. These functions run in the browser, so they cannot use
 * anything outside of them.
 */

/** An entry of the Layout Instability API. */
interface LayoutShift extends PerformanceEntry {
  value: number;
  /** There was user input in the last 500 ms. */
  hadRecentInput: boolean;
  /** The time of the last user input; zero if there was none. */
  lastInputTime: number;
  sources: readonly { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

interface LargestContentfulPaint extends PerformanceEntry {
  url: string;
  size: number;
}

export interface PageNotes {
  /**
   * Cumulative Layout Shift: the largest session window of shifts, with gaps of at most one second and at most five
   * seconds in total. Shifts within 500 ms of user input are excluded. On an idle machine, responses arrive within that
   * time. On a busy one they do not, so the 500 ms pause while the page waits for a response or computes: a shift
   * counts on both machines or on neither. On a slow connection, real time counts.
   */
  layoutShift: number;
  /** The moved elements, for error messages. */
  shifted: string[];
  /** The largest photo or text so far; undefined before the first one. */
  largest: { atMs: number; url: string; size: number } | undefined;
}

declare global {
  interface Window {
    pageNotes: PageNotes;
    /** Starts or ends a time in which layout shifts are expected. */
    setShiftsExpected: (areExpected: boolean) => void;
    reportViolation: (text: string) => void;
  }
}

/** @param isSlow the connection is slow */
export function watchPage({ isSlow }: { isSlow: boolean }): void {
  const notes: PageNotes = { layoutShift: 0, shifted: [], largest: undefined };
  window.pageNotes = notes;
  const shifts: { shift: LayoutShift; texts: readonly string[] }[] = [];
  const busy: { from: number; to: number }[] = [];
  const RECENT_MS = 500;

  /** Total idle time of the page between two points in time. */
  function idleBetween(from: number, to: number): number {
    let idleMs = 0;
    let reached = from;
    for (const each of busy.toSorted((one, other) => one.from - other.from)) {
      // A request started before the input is unrelated to it.
      if (each.from < from || each.from > to) continue;
      idleMs += Math.max(0, each.from - reached);
      reached = Math.max(reached, each.to);
    }
    return idleMs + Math.max(0, to - reached);
  }

  function isResponseToInput({ hadRecentInput, startTime, lastInputTime }: LayoutShift): boolean {
    if (isSlow) return hadRecentInput;
    return lastInputTime > 0 && idleBetween(lastInputTime, startTime) < RECENT_MS;
  }

  /** Computed again from all shifts: the reason for a shift may be reported after it. */
  function computeLayoutShift(): void {
    let sum = 0;
    let first = 0;
    let last = 0;
    const counted = shifts.filter(({ shift }) => !isResponseToInput(shift));
    notes.layoutShift = 0;
    notes.shifted = counted.flatMap(({ texts }) => texts);
    for (const { startTime, value } of counted.map(({ shift }) => shift)) {
      const isSameWindow = startTime - last < 1000 && startTime - first < 5000;
      sum = isSameWindow ? sum + value : value;
      if (!isSameWindow) first = startTime;
      last = startTime;
      notes.layoutShift = Math.max(notes.layoutShift, sum);
    }
  }

  function describeShift({ value, sources }: LayoutShift): readonly string[] {
    return sources.map(({ node, previousRect, currentRect }) => {
      const element = node instanceof Element ? node : node?.parentElement;
      const tag = element?.cloneNode(false) as Element | undefined;
      const what = tag?.outerHTML.slice(0, 160) ?? 'a removed element';
      const way = [previousRect, currentRect].map(({ x, y, width, height }) => `${x} ${y} ${width} x ${height}`);
      return `${value.toFixed(4)} ${way.join(' to ')} ${what}`;
    });
  }

  let areShiftsExpected = false;
  const recordShifts = (entries: PerformanceEntryList) => {
    if (!areShiftsExpected)
      for (const shift of entries as LayoutShift[]) shifts.push({ shift, texts: describeShift(shift) });
    computeLayoutShift();
  };
  const observer = new PerformanceObserver((list) => recordShifts(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  window.setShiftsExpected = (areExpected) => {
    // Shifts so far are judged by the previous setting.
    recordShifts(observer.takeRecords());
    areShiftsExpected = areExpected;
  };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) busy.push({ from: startTime, to: startTime + duration });
    computeLayoutShift();
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    // Photos are excluded: their space is reserved. Event streams are excluded: they do not end.
    for (const { name, initiatorType, startTime, responseEnd } of list.getEntries() as PerformanceResourceTiming[])
      if (/^(?:fetch|xmlhttprequest|script)$/.test(initiatorType) && !/\/v2\/events\b/.test(name))
        busy.push({ from: startTime, to: responseEnd });
    computeLayoutShift();
  }).observe({ type: 'resource', buffered: true });
  new PerformanceObserver((list) => {
    const paint = list.getEntries().at(-1) as LargestContentfulPaint | undefined;
    if (paint !== undefined) notes.largest = { atMs: paint.startTime, url: paint.url, size: paint.size };
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  addEventListener('securitypolicyviolation', (violation) => {
    window.reportViolation(`${violation.violatedDirective} forbids ${violation.blockedURI} (${violation.sourceFile})`);
  });
}
