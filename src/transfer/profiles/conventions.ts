import { weighsInPounds } from '../../domain/organisation/country.ts';
import type { DateOrder } from './profile-dates.ts';
import type { WeightUnit } from './profile-numbers.ts';

/** How the cells of a file are read, where they do not state it. It follows from their column, or from an answer. */
export interface Conventions {
  /** The order in dates such as 03/04/2026, by column. */
  dateOrders: ReadonlyMap<string, DateOrder>;
  /** The unit of weights without one. */
  weightUnit: WeightUnit | undefined;
  /** Whether ages without a unit are in months; otherwise in years. */
  areAgesInMonths: boolean;
  /** Whether a known program wrote the file: zero is an unknown weight, and a pure breed is written twice. */
  isOfProgram: boolean;
}

export const NO_CONVENTIONS: Conventions = {
  dateOrders: new Map(),
  weightUnit: undefined,
  areAgesInMonths: false,
  isOfProgram: false,
};

/** The answers of the user, or of the country. */
export interface Answers {
  dates?: DateOrder | undefined;
  weights?: WeightUnit | undefined;
}

/** A convention that the file does not define, with an example from it. */
export interface Question {
  about: 'dates' | 'weights';
  /** The name of the column in the file. */
  name: string;
  example: string;
  /** The answer that applies because people in the country of the organisation write so. */
  assumed?: DateOrder | WeightUnit | undefined;
}

/** How people in a country write, as far as that is certain. @param country its ISO 3166 code */
export function answersOfCountry(country: string | undefined): Answers {
  if (country === undefined) return {};
  const { language } = new Intl.Locale(`und-${country}`).maximize();
  const parts = new Intl.DateTimeFormat(`${language}-${country}`).formatToParts(0);
  const [first] = parts.filter(({ type }) => type !== 'literal').map(({ type }) => type);
  const dates = first === 'day' ? 'day-first' : first === 'month' ? 'month-first' : undefined;
  return { dates, weights: weighsInPounds(country) ? 'lb' : 'kg' };
}
