/* The countries of organisations, for forms. */

export { COUNTRIES, currencyOf, unaskedIn } from '../../../domain/organisation/country.ts';
