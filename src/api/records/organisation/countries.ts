/* The countries of organisations, for forms. */

export { COUNTRIES, currencyOf, localeIn, unaskedIn } from '../../../domain/organisation/country.ts';
