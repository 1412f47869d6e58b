import type { EventChange } from '../answers/held-answer.ts';
import type { Choice } from './fault-rules.ts';

/** The beginning of an incomplete event. Events are shorter. */
const MAX_PENDING = 1024 * 1024;

/** Repeats events, or sends them after the next one. */
export class EventFaults implements EventChange {
  readonly #choices: readonly Choice[];
  #pending = '';
  /** An event that is sent after the next one. */
  #held = '';

  constructor(choices: readonly Choice[]) {
    this.#choices = choices;
  }

  change(chunk: string): string {
    const blocks = (this.#pending + chunk).split('\n\n');
    this.#pending = blocks.pop() ?? '';
    const sent = blocks.map((block) => this.#changeBlock(`${block}\n\n`)).join('');
    if (this.#pending.length <= MAX_PENDING) return sent;
    const pending = this.#pending;
    this.#pending = '';
    return sent + pending;
  }

  end(): string {
    return this.#held + this.#pending;
  }

  #changeBlock(block: string): string {
    const held = this.#held;
    this.#held = '';
    // Comments, and the position, which is no event for clients.
    if (!/^data:/m.test(block) || /^event: ?position$/m.test(block)) return block + held;
    let sent = block;
    let isHeld = false;
    for (const choice of this.#choices) {
      if (choice.next() === undefined) continue;
      if (choice.fault.kind === 'duplicate-events') sent += block;
      else isHeld = held === '';
    }
    if (isHeld) {
      this.#held = sent;
      return '';
    }
    return sent + held;
  }
}
