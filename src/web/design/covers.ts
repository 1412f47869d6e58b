import type { RegisteredRouter } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The IDs of the covers that are open at this history entry, separated by spaces. */
    cover?: string | undefined;
  }
}

/** Something over the page, such as a dialog. */
interface Cover {
  id: string;
  /** @returns false if it must stay open */
  back: () => boolean;
}

/** Created with the first cover. */
let covers: Covers | undefined;

export function coversOf(router: RegisteredRouter): Covers {
  return (covers ??= new Covers(router));
}

/**
 * Removes the history entries of all covers, which stay visible. Before a navigation from an open dialog: going back
 * from the next page then leads to the page without the dialog.
 */
export async function leaveCovers(): Promise<void> {
  await covers?.leave();
}

/** Makes the history follow the covers. A cover may open or close while the browser is still going back. */
class Covers {
  readonly #router: RegisteredRouter;
  /** The topmost last. */
  #open: readonly Cover[] = [];
  /** The addresses where covers were opened, by ID. */
  readonly #hrefs = new Map<string, string>();
  #following: Promise<void> | undefined;

  constructor(router: RegisteredRouter) {
    this.#router = router;
    router.history.subscribe(({ action: { type } }) => {
      if (type === 'PUSH' || type === 'REPLACE' || !this.#closeWithoutEntry()) return;
      // The entry of a closed cover looks like the one before it: going back leads there.
      if (type !== 'FORWARD') void this.#follow();
    });
  }

  /** @returns to call when it was closed */
  open(back: () => boolean): () => void {
    // Other documents of this tab have other IDs.
    const cover = { id: `${performance.timeOrigin}-${this.#hrefs.size}`, back };
    this.#hrefs.set(cover.id, this.#router.history.location.href);
    this.#open = [...this.#open, cover];
    void this.#follow();
    return () => {
      this.#open = this.#open.filter((each) => each !== cover);
      void this.#follow();
    };
  }

  leave(): Promise<void> {
    this.#open = [];
    return this.#follow();
  }

  /** The IDs of the covers of the current entry. */
  get #entries(): readonly string[] {
    return this.#router.history.location.state.cover?.split(' ') ?? [];
  }

  /**
   * Closes what the user has left by going back.
   *
   * @returns false if a cover stays open, to whose entry the browser returns
   */
  #closeWithoutEntry(): boolean {
    const entries = this.#entries;
    const closing = this.#open.filter(({ id }) => !entries.includes(id)).toReversed();
    for (const [index, cover] of closing.entries()) {
      if (!cover.back()) {
        history.go(closing.length - index);
        return false;
      }
      this.#open = this.#open.filter((each) => each !== cover);
    }
    return true;
  }

  #follow(): Promise<void> {
    return (this.#following ??= this.#changeEntries());
  }

  async #changeEntries(): Promise<void> {
    // After all changes of one moment: a cover that opens takes over the entry of one that closes.
    await Promise.resolve();
    for (;;) {
      const entries = this.#entries;
      const open = this.#open.map(({ id }) => id);
      const same = countSame(entries, open);
      const surplus = entries.length - same;
      const next = open.slice(0, same + 1);
      if (surplus === 0 && open.length === same) break;
      if (surplus === 0) this.#setEntry(next);
      else if (surplus === 1 && (open.length > same || this.#isOfChange(entries))) this.#setEntry(next, true);
      else await this.#goBack(surplus - (open.length > same ? 1 : 0));
    }
    this.#following = undefined;
  }

  /** With another address, the entry is that of a change, such as of the filters, and stays. */
  #isOfChange(entries: readonly string[]): boolean {
    const href = this.#hrefs.get(entries.at(-1) ?? '');
    return href !== undefined && href !== this.#router.history.location.href;
  }

  #setEntry(ids: readonly string[], replace = false): void {
    void this.#router.navigate({
      to: '.',
      search: true,
      hash: true,
      state: (before) => ({ ...before, cover: ids.join(' ') || undefined }),
      replace,
      resetScroll: false,
      ignoreBlocker: true,
    });
  }

  async #goBack(steps: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = this.#router.history.subscribe(({ action: { type } }) => {
      if (type !== 'PUSH' && type !== 'REPLACE') resolve();
    });
    history.go(-steps);
    await promise;
    end();
  }
}

/** @returns the length of the common start */
function countSame(ones: readonly string[], others: readonly string[]): number {
  const end = ones.findIndex((id, index) => id !== others[index]);
  return end === -1 ? ones.length : end;
}
