import { Failure } from './failure.ts';

/** An entity tag (RFC 9110, section 8.8.3). */
export interface EntityTag {
  weak: boolean;
  value: string;
}

/** A condition on the current version of a record (RFC 9110, section 13.1). */
export interface Precondition {
  ifMatch?: '*' | readonly EntityTag[];
  ifNoneMatch?: '*' | readonly EntityTag[];
}

/**
 * Checks a precondition against the current version, which is undefined if the record does not exist. If-Match compares
 * strongly, If-None-Match weakly.
 *
 * @throws Failure `precondition-failed`
 */
export function requirePrecondition(precondition: Precondition | undefined, currentVersion: bigint | undefined): void {
  if (precondition === undefined) return;
  const { ifMatch, ifNoneMatch } = precondition;
  if (ifMatch !== undefined && !matches(ifMatch, currentVersion?.toString(), true)) {
    throw new Failure(
      'precondition-failed',
      'The record has changed since you read it. Read it again, then repeat your change.',
    );
  }
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, currentVersion?.toString(), false)) {
    throw existsAlready();
  }
}

export function existsAlready(): Failure {
  return new Failure('precondition-failed', 'The record already exists.');
}

/** Whether a list of entity tags contains the current one. */
export function matches(tags: '*' | readonly EntityTag[], current: string | undefined, strongly: boolean): boolean {
  if (current === undefined) return false;
  if (tags === '*') return true;
  return tags.some(({ weak, value }) => value === current && !(strongly && weak));
}
