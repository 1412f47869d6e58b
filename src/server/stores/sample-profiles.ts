import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readProfileText, type Profile } from '../../domain/pets/profile.ts';

/**
 * The profile of a sample pet. It agrees with the photo, the tags and the status of the pet; lions are of none of the
 * species that listing sites have. Dates are relative, so that ages are the same whenever the samples are added.
 */
interface SampleProfile extends Omit<Profile, 'bondedWith' | 'birthDate' | 'intakeDate' | 'holdUntil'> {
  monthsOld: number;
  daysHere: number;
  /** Days from now. */
  heldFor?: number;
}

/** By the names of the pets. */
export type SampleProfiles = Readonly<Record<string, SampleProfile>>;

const FILE = fileURLToPath(new URL('../../../assets/sample-profiles.json', import.meta.url));

export async function readSampleProfiles(): Promise<SampleProfiles> {
  return JSON.parse(await readFile(FILE, 'utf8')) as SampleProfiles;
}

/** @throws Error for a name that the file does not have */
export function sampleProfile(profiles: SampleProfiles, name: string, nowMs: number): Profile {
  const profile = profiles[name];
  if (profile === undefined) throw new Error(`sample-profiles.json does not have ${name}.`);
  const { monthsOld, daysHere, heldFor, ...fields } = profile;
  const now = new Date(nowMs);
  return {
    ...readProfileText(JSON.stringify(fields)),
    birthDate: dateOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsOld, 1)),
    intakeDate: dateOf(nowMs - daysHere * DAY_MS),
    ...(heldFor !== undefined && { holdUntil: dateOf(nowMs + heldFor * DAY_MS) }),
  };
}

const DAY_MS = 24 * 3_600_000;

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
