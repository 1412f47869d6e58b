import { BUG_DESCRIPTIONS, BUG_IDS, type BugId, type BugState } from '../../../domain/playgrounds/bugs.ts';
import { count, exactly, strictly, time, timeText } from '../fields.ts';
import { recordText } from '../record-text.ts';
import * as Type from '../type.ts';

/* The planted bugs of a playground. */

const id = Type.Unsafe<BugId>({ type: 'string', enum: [...BUG_IDS] });

const PlaygroundBug = Type.Object(
  {
    id,
    on: Type.Boolean({ description: 'Whether the playground has it.' }),
    met: count('The number of requests that it changed something for.'),
    lastMetAt: Type.Optional(time('The time of the last of them.')),
    lastRequestId: Type.Optional(Type.String({ description: 'The `X-Request-Id` of the last of them.' })),
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
      ...(hasDescriptions && { description: BUG_DESCRIPTIONS[bug] }),
    })),
  };
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
  strictly('SentPlaygroundBugs', 'must be a JSON object with the bugs that are on'),
);
export type SentPlaygroundBugs = Type.Static<typeof SentPlaygroundBugs>;
