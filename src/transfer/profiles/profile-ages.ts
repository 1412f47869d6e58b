import type { Species } from '../../domain/pets/profile.ts';
import { spellingKey } from '../../domain/text.ts';
import { readNumber } from './profile-numbers.ts';

/* Ages in cells, as estimated birth dates. */

const AGE_WORDS = [
  'baby|kitten|puppy|infant|welpe|kätzchen|jungtier',
  'young|young adult|juvenile|jung|junior',
  'adult|mature|erwachsen|ausgewachsen',
  'senior|geriatric|old|alt',
].map((words) => words.split('|'));

/** Ages in months in the middle of the age groups of the catalogue, for each of the words above. */
const TYPICAL_MONTHS: Readonly<Record<Species | 'unknown', readonly number[]>> = {
  dog: [3, 15, 60, 120],
  cat: [3, 15, 72, 150],
  rabbit: [2, 8, 36, 75],
  'small-furry': [1, 4, 21, 45],
  horse: [6, 30, 132, 270],
  bird: [2, 8, 66, 150],
  'reptile-other': [6, 24, 108, 225],
  barnyard: [3, 15, 72, 150],
  unknown: [3, 15, 60, 120],
};

const UNITS: readonly (readonly [unit: RegExp, days: number])[] = [
  [/^(?:y|yrs?|years?|j|jahre?n?)$/i, 365.25],
  [/^(?:m|mos?|mths?|months?|mon|monate?n?)$/i, 30.4375],
  [/^(?:w|wks?|weeks?|wochen?)$/i, 7],
  [/^(?:d|days?|t|tage?n?)$/i, 1],
];

const PART = /(\d{1,4}(?:[.,]\d{1,4})?) ?(\p{L}{1,10})\.?/gu;

const DAY_MS = 86_400_000;
const MAX_DAYS = 120 * 366;

/** The estimated birth date for an age such as `2Y/ 4M/ 26D`, `3 years` or `Adult`; undefined for another text. */
export function birthDateOfAge(
  text: string,
  { species, isInMonths }: { species: Species | undefined; isInMonths: boolean },
  nowMs = Date.now(),
): string | undefined {
  const days = daysOfWord(text, species) ?? daysOfNumbers(text, isInMonths ? 30.4375 : 365.25);
  return days === undefined ? undefined : new Date(nowMs - days * DAY_MS).toISOString().slice(0, 10);
}

function daysOfWord(text: string, species: Species | undefined): number | undefined {
  const key = spellingKey(text.split('(', 1)[0] ?? '');
  const months = TYPICAL_MONTHS[species ?? 'unknown'][AGE_WORDS.findIndex((words) => words.includes(key))];
  return months === undefined ? undefined : months * 30.4375;
}

/** @param unit of a number without one, in days */
function daysOfNumbers(text: string, unit: number): number | undefined {
  const number = readNumber(text);
  if (number !== undefined) return number >= 0 && number * unit <= MAX_DAYS ? number * unit : undefined;
  const rest = text.replaceAll(PART, '').replaceAll(/\b(?:and|und|old|alt)\b|[/,\s]/gi, '');
  const parts = Array.from(text.matchAll(PART), ([, number = '', word = '']) => {
    const days = UNITS.find(([unit]) => unit.test(word))?.[1];
    return days === undefined ? Number.NaN : (readNumber(number) ?? Number.NaN) * days;
  });
  const days = parts.reduce((sum, each) => sum + each, 0);
  return parts.length === 0 || rest !== '' || Number.isNaN(days) || days > MAX_DAYS ? undefined : days;
}
