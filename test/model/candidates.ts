import { idIn, Model, type Answer, type HistoryEntry } from './model.ts';
import { UNKNOWN } from './records.ts';
import { IDS, type SentCall } from './steps.ts';

/* Concurrent calls have an order that no client knows. So there is a model for each order that explains the responses. */

export interface Exchange {
  call: SentCall;
  answer: Answer;
}

/** Of a call whose connection broke: it may have been executed or not. */
export const NO_ANSWER: Answer = { status: 0, text: undefined, etag: null };

export class Candidates {
  #models: readonly Model[] = [new Model()];

  get isOne(): boolean {
    return this.#models.length === 1;
  }

  /** One of those that explain all responses so far. */
  get model(): Model {
    return this.#models[0] ?? new Model();
  }

  /** @returns why no order of the calls explains the responses */
  take(exchanges: readonly Exchange[]): string | undefined {
    return this.#takeOneOf([exchanges]);
  }

  /**
   * @param exchanges some of them without a response
   * @param ids of all pets after them
   */
  takeCut(exchanges: readonly Exchange[], ids: readonly string[]): string | undefined {
    const known = new Set([...IDS, ...this.ids(), ...exchanges.map(({ answer }) => idIn(answer))]);
    const added = ids.filter((id) => !known.has(id));
    const choices = exchanges.map((exchange): readonly (Exchange | undefined)[] => {
      const { call, answer } = exchange;
      if (answer.status !== 0) return [exchange];
      if (call.kind !== 'addPet' || call.id !== undefined) return [undefined, exchange];
      return [undefined, ...added.map((id) => ({ call, answer: { ...answer, id } }))];
    });
    const all = choices.reduce<readonly (readonly Exchange[])[]>(
      (before, next) => next.flatMap((one) => before.map((others) => (one === undefined ? others : [...others, one]))),
      [[]],
    );
    return this.#takeOneOf(all);
  }

  #takeOneOf(alternatives: readonly (readonly Exchange[])[]): string | undefined {
    let complaint: string | undefined;
    const next: Model[] = [];
    for (const model of this.#models)
      for (const order of alternatives.flatMap(permutations)) {
        const after = model.clone();
        const wrong = order
          .map((exchange) => (isLapsed(exchange, order) ? undefined : complaintOf(after, exchange)))
          .find((each) => each !== undefined);
        if (wrong === undefined) next.push(after);
        else complaint ??= wrong;
      }
    if (next.length === 0) return complaint;
    this.#models = next;
    return undefined;
  }

  /** @param held was permitted before the other call, and executed after it */
  takeHeld(held: Exchange, meanwhile: Exchange): string | undefined {
    const { by } = held.call;
    const before = this.model.accounts.activeOf(by);
    const wrong = this.take([meanwhile]);
    if (wrong !== undefined) return wrong;
    const after = this.model.accounts.activeOf(by);
    const { status } = held.answer;
    // The permissions of a request are those of its beginning, and it is refused if they have changed.
    if (before?.user.role === after?.user.role) {
      // The name may be another one.
      const isRenamed = before?.user.name !== after?.user.name;
      return isRenamed && [401, 404, 409].includes(status) ? undefined : this.take([held]);
    }
    // A body that is invalid is refused as such, and a user to be changed may be gone.
    return [400, 401, 403, 404, 409].includes(status) ? undefined : `expected a refusal, got ${status}`;
  }

  /** @returns why no model explains the response to a request that was sent before */
  takeAgain(first: Exchange, answer: Answer): string | undefined {
    const { call } = first;
    if (!('fields' in call)) return undefined;
    const complaints = this.#models.map((model) => model.takeAgain(call, first.answer, answer));
    this.#models = this.#models.filter((_model, index) => complaints[index] === undefined);
    return this.#models.length > 0 ? undefined : `${complaints[0]}, got ${answer.status} ${answer.text}`;
  }

  /** The pets whose history is to be read: the version of a deletion is in no response. */
  unknown(): readonly string[] {
    const isOpen = (id: string) => this.#models.some((model) => model.versionsOf(id).some(isUnknown));
    return this.ids().filter((id) => isOpen(id));
  }

  /** Of all pets that a model knows. */
  ids(): readonly string[] {
    return [...new Set(this.#models.flatMap((model) => [...model.pets.keys()]))];
  }

  /** @param history of a pet, newest first @returns why no model has it */
  learn(id: string, history: readonly HistoryEntry[]): string | undefined {
    const left = this.#models.filter((model) => model.learn(id, history));
    if (left.length === 0) return `no order of the calls explains the history of pet ${id}`;
    this.#models = left;
    return undefined;
  }

  /** Models that are equal are one. */
  reduce(): void {
    this.#models = [...new Map(this.#models.map((model) => [model.text(), model])).values()];
  }
}

function isUnknown({ version }: { version: bigint }): boolean {
  return version === UNKNOWN;
}

function complaintOf(model: Model, { call, answer }: Exchange): string | undefined {
  const complaint = model.take(call, answer);
  return complaint && `${complaint}, got ${answer.status} ${answer.text}`;
}

/**
 * A change of the role ends the requests in progress of that user, and so does the end of a credential, and they change
 * nothing. The name of a user may be another one after a permission was checked.
 */
function isLapsed({ call, answer }: Exchange, all: readonly Exchange[]): boolean {
  const isEnded = all.some(
    (other) => other.call !== call && isOfAccount(other.call) && [0, 200].includes(other.answer.status),
  );
  return isEnded && (isOfAccount(call) ? [401, 403, 404, 409] : [401]).includes(answer.status);
}

function isOfAccount(call: SentCall): boolean {
  return call.kind === 'setUserRole' || 'newName' in call;
}

function permutations(items: readonly Exchange[]): readonly (readonly Exchange[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}
