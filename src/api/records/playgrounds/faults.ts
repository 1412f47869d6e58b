import {
  MAX_FAULT_DELAY_MS,
  MAX_FAULT_RULES,
  MAX_FAULT_SEED,
  MAX_RETRY_AFTER_SECONDS,
  RULE_KINDS,
  type FaultKind,
  type FaultRuleState,
  type JsonObject,
} from '../../../domain/playgrounds/faults.ts';
import { count, exactly } from '../fields.ts';
import { recordText } from '../record-text.ts';
import * as Type from '../type.ts';

/* The rules for faults of a playground. */

const fault = Type.Unsafe<FaultKind>({
  type: 'string',
  enum: [...RULE_KINDS],
  description: 'What goes wrong.',
  message: `must be one of ${RULE_KINDS.join(', ')}`,
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

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const PLACE = {
  operation: Type.Optional(operation),
  method: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: [...METHODS],
      description: 'The method of the requests.',
      message: `must be one of ${METHODS.join(', ')}`,
    }),
  ),
  path: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      description: 'The path below the base URL, such as `/pet/1` or `/pet/*`; without a query, it matches all.',
      message: 'must be a path such as /pet/1 or /pet/*',
    }),
  ),
  bodyFields: Type.Optional(
    Type.Unsafe<JsonObject>({
      type: 'object',
      description: 'Fields that the body in JSON has, with these values. Objects may have further fields.',
      message: 'must be an object with fields of the body',
    }),
  ),
};

const FixedResponse = Type.Object(
  {
    status: within(200, 599, 'The status.'),
    headers: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        maxProperties: 20,
        additionalProperties: { type: 'string' },
        description: 'Headers of HTTP that clients of the API read, and others whose names begin with `X-Test-`.',
        message: 'must be an object with at most 20 texts',
      }),
    ),
    body: Type.Optional(
      Type.Unsafe<unknown>({
        description: 'A string is sent unchanged, any other value as JSON. Without it, the response has no body.',
      }),
    ),
  },
  { title: 'FaultResponse', message: 'must be a JSON object with a status' },
);

const response = Type.Optional(
  Type.Unsafe<Type.Static<typeof FixedResponse>>({
    ...FixedResponse,
    description: 'Of `response`: sent instead of that of the service. The request is not executed.',
  }),
);

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
    ...PLACE,
    response,
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
      ...placeOf(rule),
      ...(rule.response !== undefined && { response: rule.response }),
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

function placeOf({ operation: of, method, path, bodyFields }: FaultRuleState) {
  return {
    ...(of !== undefined && { operation: of }),
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(bodyFields !== undefined && { bodyFields }),
  };
}

const counted = Type.Optional(Type.Unsafe<number>({ description: 'Ignored: the service counts.' }));

const SentFault = Type.Object(
  {
    fault,
    ...PLACE,
    response,
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
