/*
 * What a page is asked to note about itself, from before its first script on. These functions run in the browser, and stand alone.
 */

/** A part of the page that was moved, as the Layout Instability API tells it. */
interface LayoutShift extends PerformanceEntry {
  value: number;
  /** Somebody did something less than half a second before it. */
  hadRecentInput: boolean;
  /** When somebody last did something before it; zero where nobody has. */
  lastInputTime: number;
  sources: readonly { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

interface LargestContentfulPaint extends PerformanceEntry {
  url: string;
  size: number;
}

export interface PageNotes {
  /**
   * Cumulative Layout Shift: the worst window of shifts, none more than a second after another, and five seconds in all. Without those that follow within
   * half a second from what somebody did. Here every answer comes within that, on an idle machine. On a busy one it does not, so that half second stands
   * still while the page waits for an answer, or computes: a jump counts on both or on neither. On a slow line answers are late for real, and time is time.
   */
  layoutShift: number;
  /** What moved, for whoever has to mend it. */
  shifted: string[];
  /** The largest picture or text so far; nothing before the first. */
  largest: { atMs: number; url: string; size: number } | undefined;
}

declare global {
  interface Window {
    pageNotes: PageNotes;
    /** From now on, or until now: what moves has been asked for, by whomever. */
    meanMoves: (areMeant: boolean) => void;
    reportViolation: (text: string) => void;
  }
}

/** @param isSlow the line is */
export function watchPage({ isSlow }: { isSlow: boolean }): void {
  const notes: PageNotes = { layoutShift: 0, shifted: [], largest: undefined };
  window.pageNotes = notes;
  const shifts: { shift: LayoutShift; told: readonly string[] }[] = [];
  const busy: { from: number; to: number }[] = [];
  const RECENT_MS = 500;

  /** How long the page was idle between the two. */
  function idleBetween(from: number, to: number): number {
    let idleMs = 0;
    let reached = from;
    for (const each of busy.toSorted((one, other) => one.from - other.from)) {
      // A request that was under way before was for something else.
      if (each.from < from || each.from > to) continue;
      idleMs += Math.max(0, each.from - reached);
      reached = Math.max(reached, each.to);
    }
    return idleMs + Math.max(0, to - reached);
  }

  function isAnswerToInput({ hadRecentInput, startTime, lastInputTime }: LayoutShift): boolean {
    if (isSlow) return hadRecentInput;
    return lastInputTime > 0 && idleBetween(lastInputTime, startTime) < RECENT_MS;
  }

  /** All of it anew: what a shift waited for may be told after it. */
  function sumUp(): void {
    let sum = 0;
    let first = 0;
    let last = 0;
    const counted = shifts.filter(({ shift }) => !isAnswerToInput(shift));
    notes.layoutShift = 0;
    notes.shifted = counted.flatMap(({ told }) => told);
    for (const { startTime, value } of counted.map(({ shift }) => shift)) {
      const isSameWindow = startTime - last < 1000 && startTime - first < 5000;
      sum = isSameWindow ? sum + value : value;
      if (!isSameWindow) first = startTime;
      last = startTime;
      notes.layoutShift = Math.max(notes.layoutShift, sum);
    }
  }

  function tell({ value, sources }: LayoutShift): readonly string[] {
    return sources.map(({ node, previousRect, currentRect }) => {
      const element = node instanceof Element ? node : node?.parentElement;
      const tag = element?.cloneNode(false) as Element | undefined;
      const what = tag?.outerHTML.slice(0, 160) ?? 'something that is gone';
      const way = [previousRect, currentRect].map(({ x, y, width, height }) => `${x} ${y} ${width} x ${height}`);
      return `${value.toFixed(4)} ${way.join(' to ')} ${what}`;
    });
  }

  let areMovesMeant = false;
  const noteShifts = (entries: PerformanceEntryList) => {
    if (!areMovesMeant) for (const shift of entries as LayoutShift[]) shifts.push({ shift, told: tell(shift) });
    sumUp();
  };
  const observer = new PerformanceObserver((list) => noteShifts(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  window.meanMoves = (areMeant) => {
    // What has moved so far is judged by what was meant so far.
    noteShifts(observer.takeRecords());
    areMovesMeant = areMeant;
  };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) busy.push({ from: startTime, to: startTime + duration });
    sumUp();
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    // A picture is no answer that one waits for: its place is there before it comes. And a stream of events has no end.
    for (const { name, initiatorType, startTime, responseEnd } of list.getEntries() as PerformanceResourceTiming[])
      if (/^(?:fetch|xmlhttprequest|script)$/.test(initiatorType) && !/\/v2\/events\b/.test(name))
        busy.push({ from: startTime, to: responseEnd });
    sumUp();
  }).observe({ type: 'resource', buffered: true });
  new PerformanceObserver((list) => {
    const paint = list.getEntries().at(-1) as LargestContentfulPaint | undefined;
    if (paint !== undefined) notes.largest = { atMs: paint.startTime, url: paint.url, size: paint.size };
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  addEventListener('securitypolicyviolation', (violation) => {
    window.reportViolation(`${violation.violatedDirective} forbids ${violation.blockedURI} (${violation.sourceFile})`);
  });
}
