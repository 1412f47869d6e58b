import { invalidInput } from '../domain/failure.ts';
import { FAULT_DEFAULTS, type NewFaultRule } from '../domain/playgrounds/faults.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { SentPlaygroundFaults } from './records/playgrounds/faults.ts';

/** @throws Failure `invalid-input` for an unknown operation, and for latency without a delay */
export function readFaultRules({ rules }: SentPlaygroundFaults): NewFaultRule[] {
  return rules.map(
    ({ fault: kind, operation: of, share: sentShare = 1, count: sentCount, seed, ...numbers }, index) => {
      if (of !== undefined && !Object.hasOwn(ENDPOINTS, of))
        throw invalidInput([{ path: `/rules/${index}/operation`, message: 'must be the ID of an operation' }]);
      const { delayMs, spreadMs, retryAfterSeconds } = { ...FAULT_DEFAULTS, ...numbers };
      if (kind === 'latency' && delayMs + spreadMs === 0)
        throw invalidInput([{ path: `/rules/${index}/delayMs`, message: 'must be given for latency' }]);
      return { kind, operation: of, share: sentShare, count: sentCount, seed, delayMs, spreadMs, retryAfterSeconds };
    },
  );
}
