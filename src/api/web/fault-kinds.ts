/* What the page of a playground offers. */

export { FAULT_KINDS, MAX_FAULT_DELAY_MS, type FaultKind } from '../../domain/playgrounds/faults.ts';
