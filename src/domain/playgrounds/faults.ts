/* Faults on demand: failures between a client and a playground that works. */

export const FAULT_KINDS = [
  'latency',
  'too-many-requests',
  'server-error',
  'unavailable',
  'cut-off',
  'connection-reset',
  'malformed-json',
  'wrong-content-type',
  'duplicate-events',
  'reordered-events',
] as const;

/** Kinds of faults that a rule can make. The header of a request cannot ask for a response of its own. */
export const RULE_KINDS = [...FAULT_KINDS, 'response'] as const;

export type FaultKind = (typeof RULE_KINDS)[number];

/** The response of a rule, instead of that of the service. */
export interface FixedResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** A string is sent unchanged, any other value as JSON. Without it, the response has no body. */
  body: unknown;
}

export interface Fault {
  kind: FaultKind;
  /** Only for `latency`. */
  delayMs: number;
  /** Only for `latency`: the delay is up to this much longer. */
  spreadMs: number;
  /** Only for `too-many-requests` and `unavailable`. */
  retryAfterSeconds: number;
  /** Only for `response`. */
  response?: FixedResponse | undefined;
}

export const FAULT_DEFAULTS = { delayMs: 0, spreadMs: 0, retryAfterSeconds: 1 } as const;

/** Half of the time after which the service itself ends a request that is not received completely. */
export const MAX_FAULT_DELAY_MS = 10_000;

export const MAX_RETRY_AFTER_SECONDS = 3600;

/**
 * Returns the parameter of a fault that a fault of its kind would ignore, and the kinds that have it. Sent with their
 * default, parameters are accepted: rules can be sent as they were read.
 */
export function ignoredParameter(fault: Fault): { name: keyof typeof FAULT_DEFAULTS; kinds: string } | undefined {
  const isSent = (name: keyof typeof FAULT_DEFAULTS) => fault[name] !== FAULT_DEFAULTS[name];
  const delay = (['delayMs', 'spreadMs'] as const).find(isSent);
  if (fault.kind !== 'latency' && delay !== undefined) return { name: delay, kinds: 'latency' };
  const hasRetryAfter = fault.kind === 'too-many-requests' || fault.kind === 'unavailable';
  if (hasRetryAfter || !isSent('retryAfterSeconds')) return undefined;
  return { name: 'retryAfterSeconds', kinds: 'too-many-requests and unavailable' };
}

export const MAX_FAULT_RULES = 50;

/** The texts of all rules, as JSON. */
export const MAX_FAULT_RULES_LENGTH = 64 * 1024;

export const MAX_FAULT_SEED = 2 ** 31 - 1;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Where, how often and how long a fault happens. The same seed and order of requests have the same faults. */
export interface FaultRule extends Fault {
  /** The ID of an operation; undefined for all. */
  operation: string | undefined;
  method: string | undefined;
  /** See `pathMatcher`. */
  path: string | undefined;
  /** The fields that the body has, with these values. */
  bodyFields: JsonObject | undefined;
  /** The share of requests, or of events for faults of events, from 0 to 1. */
  share: number;
  /** The number of times after which it stops; undefined for no end. */
  count: number | undefined;
  seed: number;
}

/** A rule without a seed gets a random one. */
export type NewFaultRule = Omit<FaultRule, 'seed'> & { seed: number | undefined };

export interface FaultRuleState extends FaultRule {
  /** The number of requests or events that the rule concerned, since it was set or the playground was reset. */
  matched: number;
  /** How many of them had the fault. */
  made: number;
}

/** A number from 0 to 1 that is the same for the same seed and index, and otherwise as good as random. */
export function fractionOf(seed: number, index: number): number {
  // The last steps of MurmurHash3, which spread neighbouring numbers.
  let hash = seed ^ Math.imul(index + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
