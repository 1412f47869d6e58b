/* The page of a playground. */

export { FAULT_KINDS, MAX_FAULT_DELAY_MS, type FaultKind } from '../../domain/playgrounds/faults.ts';
