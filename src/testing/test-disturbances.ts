import { createStrictCheck } from '../api/check.ts';
import { readFaultRules } from '../api/read-faults.ts';
import { playgroundBugs, SentPlaygroundBugs } from '../api/records/playgrounds/bugs.ts';
import { playgroundFaults, SentPlaygroundFaults } from '../api/records/playgrounds/faults.ts';
import type { BugId } from '../domain/playgrounds/bugs.ts';
import { requireKnown } from './known-options.ts';
import { Disturbances, refusalOf } from '../server/playgrounds/disturbances/disturbances.ts';
import type { FaultRule, FaultRuleState, PlantedBug } from './records.ts';

const checkFaults = createStrictCheck(SentPlaygroundFaults);
const checkBugs = createStrictCheck(SentPlaygroundBugs);

/** The faults and planted bugs of a service, as records of the API. */
export class TestDisturbances {
  readonly #disturbances: Disturbances;
  readonly refusalOf = refusalOf;
  readonly pass: Disturbances['pass'] = (exchange, handle) => this.#disturbances.pass(exchange, handle);

  constructor(isSecured: boolean) {
    this.#disturbances = new Disturbances(Date.now, isSecured);
  }

  /** The data of the service has been replaced. */
  restart(): void {
    this.#disturbances.restart();
  }

  readonly faults = (): readonly FaultRuleState[] => playgroundFaults(this.#disturbances.faults()).rules;

  /** @throws Failure `invalid-input` */
  readonly setFaults = (rules: readonly FaultRule[]): void =>
    this.#disturbances.setFaults(readFaultRules(checkFaults({ rules })));

  readonly bugs = (options: { include?: 'description' } = {}): readonly PlantedBug[] => {
    requireKnown(options, ['include']);
    return playgroundBugs(this.#disturbances.bugs(), options.include === 'description').bugs;
  };

  /** @throws Failure `invalid-input` */
  readonly setBugs = (on: readonly BugId[]): void => this.#disturbances.setBugs(checkBugs({ on }).on);
}
