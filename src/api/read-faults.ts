import { invalidInput } from '../domain/failure.ts';
import {
  FAULT_DEFAULTS,
  ignoredParameter,
  MAX_FAULT_RULES_LENGTH,
  type NewFaultRule,
} from '../domain/playgrounds/faults.ts';
import { isPathPattern, PATH_PATTERN_RULE } from '../domain/playgrounds/path-pattern.ts';
import { ENDPOINTS } from './endpoints.ts';
import { readFixedResponse, requireShortRules } from './read-fixed-response.ts';
import type { SentPlaygroundFaults } from './records/playgrounds/faults.ts';

type SentRule = SentPlaygroundFaults['rules'][number];

/** @throws Failure `invalid-input` for an unknown operation, no delay of latency, or a parameter of other faults */
export function readFaultRules({ rules }: SentPlaygroundFaults): NewFaultRule[] {
  requireShortRules(rules, MAX_FAULT_RULES_LENGTH);
  return rules.map(readRule);
}

function readRule(sent: SentRule, index: number): NewFaultRule {
  const { fault: kind, operation, method, path, bodyFields, share = 1, count, seed, response, ...numbers } = sent;
  const { delayMs, spreadMs, retryAfterSeconds } = { ...FAULT_DEFAULTS, ...numbers };
  const fault = { kind, delayMs, spreadMs, retryAfterSeconds };
  const refuse = (field: string, message: string) => invalidInput([{ path: `/rules/${index}/${field}`, message }]);
  if (operation !== undefined && !Object.hasOwn(ENDPOINTS, operation))
    throw refuse('operation', 'must be the ID of an operation');
  if (path !== undefined && !isPathPattern(path)) throw refuse('path', PATH_PATTERN_RULE);
  if (kind === 'latency' && delayMs + spreadMs === 0)
    throw refuse('delayMs', 'must be above 0 for latency, such as 300');
  const ignored = ignoredParameter(fault);
  if (ignored !== undefined) throw refuse(ignored.name, `is only for ${ignored.kinds}: leave it out for ${kind}`);
  if (kind === 'response' && response === undefined) throw refuse('response', 'must be given for response');
  if (kind !== 'response' && response !== undefined) throw refuse('response', `is only for response, not for ${kind}`);
  return {
    ...fault,
    response: response && readFixedResponse(response, `/rules/${index}/response`),
    operation,
    method,
    path,
    bodyFields,
    share,
    count,
    seed,
  };
}
