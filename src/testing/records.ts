import type { PlaygroundBugs } from '../api/records/playgrounds/bugs.ts';
import type { PlaygroundFaults, SentPlaygroundFaults } from '../api/records/playgrounds/faults.ts';

/* Types of the package. A file of their own: the declarations of the server need packages that are not installed. */

/** A rule for a fault, as a playground has it over HTTP. */
export type FaultRule = SentPlaygroundFaults['rules'][number];

/** A rule with all its numbers, and how often it was met. */
export type FaultRuleState = PlaygroundFaults['rules'][number];

/** Whether a planted bug is on, and how often it was met. */
export type PlantedBug = PlaygroundBugs['bugs'][number];
