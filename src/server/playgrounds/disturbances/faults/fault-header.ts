import {
  FAULT_DEFAULTS,
  FAULT_KINDS,
  MAX_FAULT_DELAY_MS,
  MAX_RETRY_AFTER_SECONDS,
  type Fault,
  type FaultKind,
} from '../../../../domain/playgrounds/faults.ts';
import { Failure } from '../../../../domain/failure.ts';

/*
 * The header Menagerie-Fault: in a request the faults that it wants, in a response those that were made. It is a list
 * of tokens with parameters (RFC 9651, section 3.1), such as `latency;delay-ms=300, unavailable;retry-after=5`.
 */

export const FAULT_HEADER = 'Menagerie-Fault';

const MAX_FAULTS = 5;

const LIMITS = {
  'delay-ms': MAX_FAULT_DELAY_MS,
  'spread-ms': MAX_FAULT_DELAY_MS,
  'retry-after': MAX_RETRY_AFTER_SECONDS,
} as const;

type Parameter = keyof typeof LIMITS;

/** @throws Failure `invalid-input` */
export function readFaults(header: string): Fault[] {
  const items = header.split(',').map((item) => item.trim());
  if (items.length > MAX_FAULTS) throw invalid(`at most ${MAX_FAULTS} faults`);
  return items.map(readFault);
}

function readFault(item: string): Fault {
  const [name = '', ...parameters] = item.split(';').map((each) => each.trim());
  if (!isKind(name)) throw invalid(`faults of ${FAULT_KINDS.join(', ')}`);
  const values = new Map(parameters.map(readParameter));
  const { 'delay-ms': delayMs = FAULT_DEFAULTS.delayMs, 'spread-ms': spreadMs = FAULT_DEFAULTS.spreadMs } =
    Object.fromEntries(values);
  if (name === 'latency' && delayMs + spreadMs === 0) throw invalid('a delay for latency, such as delay-ms=300');
  return {
    kind: name,
    delayMs,
    spreadMs,
    retryAfterSeconds: values.get('retry-after') ?? FAULT_DEFAULTS.retryAfterSeconds,
  };
}

function readParameter(text: string): [Parameter, number] {
  const [name = '', digits = ''] = text.split('=', 2);
  if (!isParameter(name) || !/^\d{1,6}$/.test(digits) || Number(digits) > LIMITS[name])
    throw invalid(
      `parameters of ${Object.entries(LIMITS)
        .map(([each, max]) => `${each} (0 to ${max})`)
        .join(', ')}`,
    );
  return [name, Number(digits)];
}

function isKind(name: string): name is FaultKind {
  return (FAULT_KINDS as readonly string[]).includes(name);
}

function isParameter(name: string): name is Parameter {
  return Object.hasOwn(LIMITS, name);
}

function invalid(expected: string): Failure {
  return new Failure('invalid-input', `The header ${FAULT_HEADER} must have ${expected}.`);
}
