import type { Clock } from '../../../../domain/ports.ts';
import { BUG_IDS, type BugId, type BugMeeting, type BugState } from '../../../../domain/playgrounds/bugs.ts';
import type { RawExchange } from '../../../../http/pipeline/mount.ts';
import { requestIdOf, type Visit } from '../answers/visit.ts';
import { LIST_BUGS } from './list-bugs.ts';
import { PET_BUGS } from './pet-bugs.ts';
import { REQUEST_BUGS } from './request-bugs.ts';
import { SECURITY_BUGS } from './security-bugs.ts';
import { STATUS_BUGS } from './status-bugs.ts';
import type { Answer, PlantedBug } from './planted-bug.ts';

const CREATE = {
  ...REQUEST_BUGS,
  ...STATUS_BUGS,
  ...PET_BUGS,
  ...LIST_BUGS,
  ...SECURITY_BUGS,
} as Record<BugId, () => PlantedBug>;

interface Met {
  met: number;
  last: BugMeeting | undefined;
}

/** The planted bugs of a playground, and how often each was met. */
export class PlantedBugs {
  readonly #clock: Clock;
  readonly #isSecured: boolean;
  readonly #met = new Map<BugId, Met>();
  #on = new Map<BugId, PlantedBug>();

  constructor(clock: Clock, isSecured: boolean) {
    this.#clock = clock;
    this.#isSecured = isSecured;
  }

  get isEmpty(): boolean {
    return this.#on.size === 0;
  }

  list(): readonly BugState[] {
    return BUG_IDS.map((id) => ({ id, isOn: this.#on.has(id), met: 0, last: undefined, ...this.#met.get(id) }));
  }

  /** Bugs that stay on remember what they know. */
  replace(ids: readonly BugId[]): void {
    this.#on = new Map(BUG_IDS.filter((id) => ids.includes(id)).map((id) => [id, this.#on.get(id) ?? CREATE[id]()]));
  }

  /** Forgets the data of the playground, which has been reset, but not which bugs were met. */
  restart(): void {
    this.#on = new Map([...this.#on.keys()].map((id) => [id, CREATE[id]()]));
  }

  /** The bugs that may concern the request. */
  bugsOf({ operation }: Visit): ReadonlyMap<BugId, PlantedBug> {
    const concerns = ({ operations, isForSecured }: PlantedBug) =>
      operations.includes(operation) && (this.#isSecured || isForSecured === undefined);
    return new Map([...this.#on].filter(([, bug]) => concerns(bug)));
  }

  changeRequest(bugs: ReadonlyMap<BugId, PlantedBug>, visit: Visit): void {
    for (const bug of bugs.values()) bug.before?.(visit);
  }

  changeAnswer(bugs: ReadonlyMap<BugId, PlantedBug>, visit: Visit, answer: Answer): Answer {
    let changed = answer;
    for (const [id, bug] of bugs) {
      const changes = bug.after(visit, changed);
      if (changes === undefined) continue;
      changed = { ...changed, ...changes, headers: { ...changed.headers, ...changes.headers } };
      this.#count(id, visit);
    }
    return changed;
  }

  #count(id: BugId, exchange: RawExchange): void {
    const met = (this.#met.get(id)?.met ?? 0) + 1;
    this.#met.set(id, { met, last: { atMs: this.#clock(), requestId: requestIdOf(exchange) } });
  }
}
