import {
  BUG_GROUPS,
  BUG_IDS,
  describeBug,
  type BugGroup,
  type BugId,
  type BugState,
} from '../../../domain/playgrounds/bugs.ts';
import { count, exactly, time, timeText } from '../fields.ts';
import { recordText } from '../record-text.ts';
import * as Type from '../type.ts';

/* The planted bugs of a playground. */

const id = Type.Unsafe<BugId>({ type: 'string', enum: [...BUG_IDS] });

const group = Type.Unsafe<BugGroup>({
  type: 'string',
  enum: [...BUG_GROUPS],
  description: 'The kind of rule that it violates. Only with `include=description`.',
});

const PlaygroundBug = Type.Object(
  {
    id,
    on: Type.Boolean({ description: 'Whether the playground has it.' }),
    met: count('The number of requests whose response it changed.'),
    lastMetAt: Type.Optional(time('The time of the last of them.')),
    lastRequestId: Type.Optional(Type.String({ description: 'The `X-Request-Id` of the last of them.' })),
    group: Type.Optional(group),
    petstore: Type.Optional(
      Type.Boolean({
        description: 'Whether operations of the public Petstore meet it. Only with `include=description`.',
      }),
    ),
    description: Type.Optional(Type.String({ description: 'Only with `include=description`.' })),
  },
  exactly('PlaygroundBug'),
);

export const PlaygroundBugs = Type.Object({ bugs: Type.Array(PlaygroundBug) }, exactly('PlaygroundBugs'));
export type PlaygroundBugs = Type.Static<typeof PlaygroundBugs>;

export function bugsText(bugs: readonly BugState[], hasDescriptions: boolean): string {
  return recordText<PlaygroundBugs>(playgroundBugs(bugs, hasDescriptions));
}

export function playgroundBugs(bugs: readonly BugState[], hasDescriptions: boolean): PlaygroundBugs {
  return {
    bugs: bugs.map(({ id: bug, isOn, met, last }) => ({
      id: bug,
      on: isOn,
      met,
      ...(last && { lastMetAt: timeText(last.atMs), lastRequestId: last.requestId }),
      ...(hasDescriptions && described(bug)),
    })),
  };
}

function described(bug: BugId) {
  const { group: ofGroup, isPetstore = false, description } = describeBug(bug);
  return { group: ofGroup, petstore: isPetstore, description };
}

export const SentBugIds = Type.Unsafe<BugId[]>({
  type: 'array',
  items: { type: 'string', enum: [...BUG_IDS], message: `must be one of ${BUG_IDS[0]} to ${BUG_IDS.at(-1)}` },
  maxItems: BUG_IDS.length,
  description: 'The IDs of planted bugs, such as `bug-01`. All others are off.',
  message: 'must be a list of IDs of planted bugs',
});

export const SentPlaygroundBugs = Type.Object(
  { on: SentBugIds },
  { title: 'SentPlaygroundBugs', message: 'must be a JSON object with the bugs that are on' },
);
export type SentPlaygroundBugs = Type.Static<typeof SentPlaygroundBugs>;
