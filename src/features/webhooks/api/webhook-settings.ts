import { EVENT_PATTERNS, WEBHOOK_LIMITS } from '../domain/webhook.ts';

/* The limits and event patterns of webhooks, and which events a pattern includes. */

export { EVENT_PATTERNS };
export const MAX_WEBHOOK_URL_LENGTH = WEBHOOK_LIMITS.urlLength;

/** Whether another of the patterns already includes this one: `*` includes all, `pet.*` all of pets. */
export function isIncluded(pattern: string, patterns: readonly string[]): boolean {
  return patterns.some(
    (other) => other !== pattern && (other === '*' || (other.endsWith('.*') && pattern.startsWith(other.slice(0, -1)))),
  );
}

/** Adds or removes a pattern, and removes those that it includes. */
export function withPattern(patterns: readonly string[], pattern: string, isAdded: boolean): readonly string[] {
  if (!isAdded) return patterns.filter((each) => each !== pattern);
  const all = [...patterns, pattern];
  return EVENT_PATTERNS.filter((each) => all.includes(each) && !isIncluded(each, all));
}
