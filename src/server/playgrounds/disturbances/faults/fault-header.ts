import {
  FAULT_DEFAULTS,
  FAULT_KINDS,
  ignoredParameter,
  MAX_FAULT_DELAY_MS,
  MAX_RETRY_AFTER_SECONDS,
  type Fault,
} from '../../../../domain/playgrounds/faults.ts';
import { Failure } from '../../../../domain/failure.ts';

/*
 * The header Menagerie-Fault: in a request the faults that it wants, in a response those that were made. It is a list
 * of tokens with parameters (RFC 9651, section 3.1), such as `latency;delay-ms=300, unavailable;retry-after=5`.
 */

export const FAULT_HEADER = 'Menagerie-Fault';

const MAX_FAULTS = 5;

type Parameter = keyof typeof FAULT_DEFAULTS;

const PARAMETERS: Readonly<Record<Parameter, { name: string; max: number }>> = {
  delayMs: { name: 'delay-ms', max: MAX_FAULT_DELAY_MS },
  spreadMs: { name: 'spread-ms', max: MAX_FAULT_DELAY_MS },
  retryAfterSeconds: { name: 'retry-after', max: MAX_RETRY_AFTER_SECONDS },
};

/** @throws Failure `invalid-input` */
export function readFaults(header: string): Fault[] {
  const items = header.split(',').map((item) => item.trim());
  if (items.length > MAX_FAULTS) throw invalid(`at most ${MAX_FAULTS} faults`);
  return items.map(readFault);
}

function readFault(item: string): Fault {
  const [name = '', ...parameters] = item.split(';').map((each) => each.trim());
  if (!isKind(name)) throw invalid(`faults of ${FAULT_KINDS.join(', ')}`);
  const fault = { kind: name, ...FAULT_DEFAULTS, ...Object.fromEntries(parameters.map(readParameter)) };
  if (name === 'latency' && fault.delayMs + fault.spreadMs === 0)
    throw invalid('a delay above 0 for latency, such as delay-ms=300');
  const ignored = ignoredParameter(fault);
  if (ignored !== undefined) throw invalid(`${PARAMETERS[ignored.name].name} only for ${ignored.kinds}`);
  return fault;
}

function readParameter(text: string): [Parameter, number] {
  const [name = '', digits = ''] = text.split('=', 2);
  const found = Object.entries(PARAMETERS).find(([, parameter]) => parameter.name === name);
  if (found === undefined || !/^\d{1,6}$/.test(digits) || Number(digits) > found[1].max)
    throw invalid(
      `parameters of ${Object.values(PARAMETERS)
        .map((each) => `${each.name} (0 to ${each.max})`)
        .join(', ')}`,
    );
  return [found[0] as Parameter, Number(digits)];
}

function isKind(name: string): name is (typeof FAULT_KINDS)[number] {
  return (FAULT_KINDS as readonly string[]).includes(name);
}

function invalid(expected: string): Failure {
  return new Failure('invalid-input', `The header ${FAULT_HEADER} must have ${expected}.`);
}
