import type { FieldProblem } from '../failure.ts';
import type { Location } from '../organisation/organisation.ts';
import type { OwnField } from '../organisation/own-field.ts';
import { ownValueProblems } from '../organisation/own-values.ts';
import type { Profile, ProfileEdit } from './profile.ts';

export interface ProfileContext {
  ownFields: readonly OwnField[];
  locations: readonly Pick<Location, 'id'>[];
  nowMs: number;
}

/** UTC+14, where a day begins first. */
const EARLIEST_TIME_ZONE_MS = 14 * 3_600_000;

/**
 * The problems of a profile, or of a change of one, that depend on the organisation and on the time: own fields, the
 * location, and dates in the past.
 *
 * @param path where the request has the profile, as a JSON Pointer
 */
export function profileProblems(profile: Profile | ProfileEdit, context: ProfileContext, path = ''): FieldProblem[] {
  const { own, location, birthDate, intakeDate } = profile;
  const { ownFields, locations, nowMs } = context;
  const isUnknown = typeof location === 'string' && !locations.some(({ id }) => id === location);
  return [
    ...(own === undefined || own === null ? [] : ownValueProblems(ownFields, own, `${path}/own`)),
    ...(isUnknown ? [{ path: `${path}/location`, message: 'must be the id of a location of the organisation' }] : []),
    ...futureDates({ birthDate, intakeDate }, nowMs).map((name) => ({
      path: `${path}/${name}`,
      message: 'must not be in the future',
    })),
  ];
}

/** A day that has begun somewhere on Earth is not in the future. */
function futureDates(dates: Readonly<Record<string, string | null | undefined>>, nowMs: number): readonly string[] {
  const today = new Date(nowMs + EARLIEST_TIME_ZONE_MS).toISOString().slice(0, 10);
  return Object.entries(dates).flatMap(([name, date]) => (typeof date === 'string' && date > today ? [name] : []));
}
