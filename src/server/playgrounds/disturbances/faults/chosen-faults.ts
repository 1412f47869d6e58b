import { Failure, PlannedError } from '../../../../domain/failure.ts';
import type { Fault, FaultKind, FixedResponse } from '../../../../domain/playgrounds/faults.ts';
import type { EventChange } from '../answers/held-answer.ts';
import type { Visit } from '../answers/visit.ts';
import { EventFaults } from './event-faults.ts';
import { FAULT_HEADER, readFaults } from './fault-header.ts';
import { canHave, everyTime, OF_EVENTS, type Choice, type FaultRules } from './fault-rules.ts';

const MESSAGE = 'This is a fault that the playground was asked for.';

export interface ChosenFaults {
  delayMs: number;
  /** The error to respond with, instead of handling the request. */
  refusal: Error | undefined;
  ofAnswer: FaultKind | undefined;
  /** Sent instead of the error. */
  response: FixedResponse | undefined;
  events: EventChange | undefined;
  /** Adds a fault to the header of the response that names them. */
  announce(text: string): void;
}

/**
 * Chooses from the faults that the request asks for itself, and those of the rules.
 *
 * @param body see `FaultRules`
 */
export function chooseFaults(visit: Visit, rules: FaultRules, body: unknown): ChosenFaults {
  const chosen = nothingChosen(visit);
  let own: readonly Choice[] = [];
  try {
    own = ownChoices(visit);
  } catch (error) {
    return { ...chosen, refusal: error as Failure };
  }
  const choices = [...own, ...rules.choicesFor(visit, body)];
  const ofEvents = choices.filter(({ fault }) => OF_EVENTS.has(fault.kind));
  if (ofEvents.length > 0) {
    chosen.events = new EventFaults(ofEvents);
    for (const { fault } of ofEvents) chosen.announce(fault.kind);
  }
  for (const choice of choices.filter((each) => !ofEvents.includes(each))) add(chosen, choice);
  return chosen;
}

function add(chosen: ChosenFaults, choice: Choice): void {
  const { fault } = choice;
  const isSecond = fault.kind !== 'latency' && (chosen.refusal !== undefined || chosen.ofAnswer !== undefined);
  // Its turn counts all the same, so that other rules do not change which requests have it.
  const delayMs = choice.next();
  if (delayMs === undefined || isSecond) return;
  if (fault.kind === 'latency') {
    chosen.delayMs += delayMs;
    chosen.announce(`latency;delay-ms=${delayMs}`);
    return;
  }
  chosen.refusal = refusalOf(fault);
  chosen.response = fault.response;
  if (chosen.refusal === undefined) chosen.ofAnswer = fault.kind;
  else chosen.announce(fault.kind);
}

function refusalOf({ kind, retryAfterSeconds }: Fault): Error | undefined {
  if (kind === 'too-many-requests') {
    const limit = { name: 'fault', quota: 1, windowSeconds: Math.max(1, retryAfterSeconds) };
    return new Failure('too-many-requests', MESSAGE, { retryAfterSeconds, limit });
  }
  if (kind === 'unavailable') return new Failure('unavailable', MESSAGE, { retryAfterSeconds });
  return kind === 'server-error' || kind === 'response' ? new PlannedError(MESSAGE) : undefined;
}

function ownChoices({ request, operation }: Visit): readonly Choice[] {
  const header = request.headers[FAULT_HEADER.toLowerCase()];
  if (header === undefined) return [];
  return readFaults(String(header))
    .filter((fault) => canHave(fault, operation))
    .map(everyTime);
}

function nothingChosen({ response }: Visit): ChosenFaults {
  const names: string[] = [];
  return {
    delayMs: 0,
    refusal: undefined,
    ofAnswer: undefined,
    response: undefined,
    events: undefined,
    announce(text) {
      names.push(text);
      response.setHeader(FAULT_HEADER, names.join(', '));
    },
  };
}
