import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ENDPOINTS, type OperationId } from '../../../../api/endpoints.ts';
import {
  fractionOf,
  MAX_FAULT_SEED,
  type Fault,
  type FaultKind,
  type FaultRule,
  type FaultRuleState,
  type JsonObject,
  type NewFaultRule,
} from '../../../../domain/playgrounds/faults.ts';
import { pathMatcher } from '../../../../domain/playgrounds/path-pattern.ts';
import type { Visit } from '../answers/visit.ts';

export const OF_EVENTS: ReadonlySet<FaultKind> = new Set(['duplicate-events', 'reordered-events']);

/** A delay is chosen with other numbers than whether there is one. */
const DELAY_SEED = 0x5bd1e995;

/** Whether responses of the operation can have the fault. */
export function canHave({ kind }: Fault, operation: OperationId): boolean {
  const { response } = ENDPOINTS[operation];
  if (OF_EVENTS.has(kind)) return response === 'events';
  if (kind === 'malformed-json') return response === 'json' || response === 'string';
  return true;
}

/** Decides about requests or events, one after the other. */
export interface Choice {
  fault: Fault;
  /** Returns the delay in milliseconds, which is 0 except for latency; undefined if this request has no fault. */
  next(): number | undefined;
}

/** The choice of a request that asks for the fault itself. */
export function everyTime(fault: Fault): Choice {
  return { fault, next: () => fault.delayMs + Math.round(Math.random() * fault.spreadMs) };
}

class Rule implements Choice {
  readonly fault: FaultRule;
  readonly #isPath: ((path: string) => boolean) | undefined;
  #matched = 0;
  #made = 0;

  constructor({ seed = randomInt(MAX_FAULT_SEED), ...rule }: NewFaultRule) {
    this.fault = { ...rule, seed };
    this.#isPath = rule.path === undefined ? undefined : pathMatcher(rule.path);
  }

  get state(): FaultRuleState {
    return { ...this.fault, matched: this.#matched, made: this.#made };
  }

  next(): number | undefined {
    const { seed, share, count = Infinity, delayMs, spreadMs } = this.fault;
    const index = this.#matched++;
    if (this.#made >= count || fractionOf(seed, index) >= share) return undefined;
    this.#made++;
    return delayMs + Math.round(fractionOf(seed ^ DELAY_SEED, index) * spreadMs);
  }

  /** Whether the rule is for this request, apart from its body. */
  isFor({ operation, path, request: { method = '', url = '' } }: Visit): boolean {
    const { fault } = this;
    return (
      (fault.operation === undefined || fault.operation === operation) &&
      (fault.method === undefined || fault.method === method) &&
      (this.#isPath === undefined || this.#isPath(fault.path?.includes('?') ? url : path)) &&
      canHave(fault, operation)
    );
  }

  restart(): void {
    this.#matched = this.#made = 0;
  }
}

export class FaultRules {
  #rules: readonly Rule[] = [];

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  list(): readonly FaultRuleState[] {
    return this.#rules.map(({ state }) => state);
  }

  replace(rules: readonly NewFaultRule[]): void {
    this.#rules = rules.map((rule) => new Rule(rule));
  }

  /** Begins again, with the same faults for the same requests. */
  restart(): void {
    for (const rule of this.#rules) rule.restart();
  }

  /** Whether rules for this request depend on its body. */
  dependOnBody(visit: Visit): boolean {
    return this.#rules.some((rule) => rule.fault.bodyFields !== undefined && rule.isFor(visit));
  }

  /** @param body of the request as JSON; undefined if it is none, or if no rule depends on it */
  choicesFor(visit: Visit, body: unknown): readonly Choice[] {
    return this.#rules.filter(
      (rule) => rule.isFor(visit) && (rule.fault.bodyFields === undefined || hasFields(body, rule.fault.bodyFields)),
    );
  }
}

/** Whether the value has all fields of an object, at every depth; everything else must be equal. */
function hasFields(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return isDeepStrictEqual(value, wanted);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(wanted).every(
    ([name, each]) => Object.hasOwn(value, name) && hasFields((value as JsonObject)[name], each),
  );
}
