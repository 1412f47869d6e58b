import { invalidInput } from '../domain/failure.ts';
import { FAULT_DEFAULTS, ignoredParameter, type NewFaultRule } from '../domain/playgrounds/faults.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { SentPlaygroundFaults } from './records/playgrounds/faults.ts';

/** @throws Failure `invalid-input` for an unknown operation, no delay of latency, or a parameter of other faults */
export function readFaultRules({ rules }: SentPlaygroundFaults): NewFaultRule[] {
  return rules.map(
    ({ fault: kind, operation: of, share: sentShare = 1, count: sentCount, seed, ...numbers }, index) => {
      const { delayMs, spreadMs, retryAfterSeconds } = { ...FAULT_DEFAULTS, ...numbers };
      const fault = { kind, delayMs, spreadMs, retryAfterSeconds };
      const refuse = (field: string, message: string) => invalidInput([{ path: `/rules/${index}/${field}`, message }]);
      if (of !== undefined && !Object.hasOwn(ENDPOINTS, of))
        throw refuse('operation', 'must be the ID of an operation');
      if (kind === 'latency' && delayMs + spreadMs === 0)
        throw refuse('delayMs', 'must be above 0 for latency, such as 300');
      const ignored = ignoredParameter(fault);
      if (ignored !== undefined) throw refuse(ignored.name, `is only for ${ignored.kinds}: leave it out for ${kind}`);
      return { ...fault, operation: of, share: sentShare, count: sentCount, seed };
    },
  );
}
