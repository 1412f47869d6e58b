import {
  FAULT_KINDS,
  MAX_FAULT_DELAY_MS,
  MAX_FAULT_RULES,
  MAX_FAULT_SEED,
  MAX_RETRY_AFTER_SECONDS,
  type FaultKind,
  type FaultRuleState,
} from '../../../domain/playgrounds/faults.ts';
import { count, exactly } from '../fields.ts';
import { recordText } from '../record-text.ts';
import * as Type from '../type.ts';

/* The rules for faults of a playground. */

const fault = Type.Unsafe<FaultKind>({
  type: 'string',
  enum: [...FAULT_KINDS],
  description: 'What goes wrong.',
  message: `must be one of ${FAULT_KINDS.join(', ')}`,
});

function within(minimum: number, maximum: number, description: string) {
  const message = `must be a number from ${minimum} to ${maximum}`;
  return Type.Unsafe<number>({ type: 'integer', minimum, maximum, description, message });
}

const operation = Type.Unsafe<string>({
  type: 'string',
  minLength: 1,
  description: 'The ID of an operation, such as `addPet`. Without it, the rule is for all.',
  message: 'must be the ID of an operation',
});

const share = Type.Unsafe<number>({
  type: 'number',
  minimum: 0,
  maximum: 1,
  description: 'The share of requests, or of events for faults of events.',
  message: 'must be a number from 0 to 1',
});

const NUMBERS = {
  seed: within(0, MAX_FAULT_SEED, 'The same seed and order of requests have the same faults. Random by default.'),
  delayMs: within(0, MAX_FAULT_DELAY_MS, 'Of `latency`, in milliseconds.'),
  spreadMs: within(0, MAX_FAULT_DELAY_MS, 'Of `latency`: the delay is up to this much longer.'),
  retryAfterSeconds: within(0, MAX_RETRY_AFTER_SECONDS, 'Of `too-many-requests` and `unavailable`.'),
};

const times = within(1, MAX_FAULT_SEED, 'The number of times after which it stops. Without it, it does not stop.');

const PlaygroundFault = Type.Object(
  {
    fault,
    operation: Type.Optional(operation),
    share,
    count: Type.Optional(times),
    ...NUMBERS,
    matched: count('The number of requests or events that the rule concerned.'),
    made: count('The number of them that had the fault.'),
  },
  exactly('PlaygroundFault'),
);

export const PlaygroundFaults = Type.Object({ rules: Type.Array(PlaygroundFault) }, exactly('PlaygroundFaults'));
export type PlaygroundFaults = Type.Static<typeof PlaygroundFaults>;

export function faultsText(rules: readonly FaultRuleState[]): string {
  return recordText<PlaygroundFaults>(playgroundFaults(rules));
}

export function playgroundFaults(rules: readonly FaultRuleState[]): PlaygroundFaults {
  return {
    rules: rules.map((rule) => ({
      fault: rule.kind,
      ...(rule.operation !== undefined && { operation: rule.operation }),
      share: rule.share,
      ...(rule.count !== undefined && { count: rule.count }),
      seed: rule.seed,
      delayMs: rule.delayMs,
      spreadMs: rule.spreadMs,
      retryAfterSeconds: rule.retryAfterSeconds,
      matched: rule.matched,
      made: rule.made,
    })),
  };
}

const counted = Type.Optional(Type.Unsafe<number>({ description: 'Ignored: the service counts.' }));

const SentFault = Type.Object(
  {
    fault,
    operation: Type.Optional(operation),
    share: Type.Optional(share),
    count: Type.Optional(times),
    seed: Type.Optional(NUMBERS.seed),
    delayMs: Type.Optional(NUMBERS.delayMs),
    spreadMs: Type.Optional(NUMBERS.spreadMs),
    retryAfterSeconds: Type.Optional(NUMBERS.retryAfterSeconds),
    // Rules can be sent as they were read.
    matched: counted,
    made: counted,
  },
  { title: 'SentPlaygroundFault', message: 'must be a JSON object with a fault' },
);

export const SentPlaygroundFaults = Type.Object(
  {
    rules: Type.Array(SentFault, {
      maxItems: MAX_FAULT_RULES,
      message: `must be a list of at most ${MAX_FAULT_RULES} rules`,
    }),
  },
  { title: 'SentPlaygroundFaults', message: 'must be a JSON object with rules' },
);
export type SentPlaygroundFaults = Type.Static<typeof SentPlaygroundFaults>;
