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
   * Cumulative Layout Shift: the worst window of shifts, none more than a second after another, and five seconds in all; without those that the browser
   * knows somebody has asked for, as they did something less than half a second before. On a busy machine answers come later than that. So what moves
   * inside a list does not count either once somebody has done something, and nothing that moves in the frame in which another page takes the place of
   * the one before, which is no more a jump than a document that is loaded.
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
    /** From now on, or until now: what moves has been asked for, however long the answer takes. */
    meanMoves: (areMeant: boolean) => void;
    reportViolation: (text: string) => void;
  }
}

export function watchPage(): void {
  const notes: PageNotes = { layoutShift: 0, shifted: [], largest: undefined };
  window.pageNotes = notes;
  let sum = 0;
  let first = 0;
  let last = 0;

  function noteShift({ startTime, value, sources }: LayoutShift): void {
    const isSameWindow = startTime - last < 1000 && startTime - first < 5000;
    sum = isSameWindow ? sum + value : value;
    if (!isSameWindow) first = startTime;
    last = startTime;
    notes.layoutShift = Math.max(notes.layoutShift, sum);
    for (const { node, previousRect, currentRect } of sources) {
      const element = node instanceof Element ? node : node?.parentElement;
      const tag = element?.cloneNode(false) as Element | undefined;
      const what = tag?.outerHTML.slice(0, 160) ?? 'something that is gone';
      const way = [previousRect, currentRect].map(({ x, y, width, height }) => `${x} ${y} ${width} x ${height}`);
      notes.shifted.push(`${value.toFixed(4)} ${way.join(' to ')} ${what}`);
    }
  }

  /** When a page of another address took the place of the one before. */
  const turns: { fromMs: number; toMs: number }[] = [];
  let address = '';
  let heading: Element | null = null;
  new MutationObserver(() => {
    const current = document.querySelector('h1');
    if (current === null || current === heading) return;
    heading = current;
    if (address !== '' && address !== location.href) {
      const turn = { fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
      turns.push(turn);
      // It is drawn in the next frame.
      requestAnimationFrame(() => requestAnimationFrame(() => (turn.toMs = performance.now())));
    }
    address = location.href;
  }).observe(document, { childList: true, subtree: true });

  let areMovesMeant = false;
  const noteShifts = (shifts: PerformanceEntryList) => {
    for (const shift of shifts as LayoutShift[]) {
      const isTurn = turns.some(({ fromMs, toMs }) => shift.startTime >= fromMs && shift.startTime <= toMs);
      const moved = shift.sources.flatMap(({ node }) => (node instanceof Element ? node : (node?.parentElement ?? [])));
      const isInList = moved.length > 0 && moved.every((element) => element.closest('li') !== null);
      // As others go or come; the list itself stays where it is.
      const isAnswer = shift.lastInputTime > 0 && isInList;
      if (!shift.hadRecentInput && !areMovesMeant && !isTurn && !isAnswer) noteShift(shift);
    }
  };
  const observer = new PerformanceObserver((list) => noteShifts(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  window.meanMoves = (areMeant) => {
    // What has moved so far is judged by what was meant so far.
    noteShifts(observer.takeRecords());
    areMovesMeant = areMeant;
  };
  new PerformanceObserver((list) => {
    const paint = list.getEntries().at(-1) as LargestContentfulPaint | undefined;
    if (paint !== undefined) notes.largest = { atMs: paint.startTime, url: paint.url, size: paint.size };
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  addEventListener('securitypolicyviolation', (violation) => {
    window.reportViolation(`${violation.violatedDirective} forbids ${violation.blockedURI} (${violation.sourceFile})`);
  });
}
