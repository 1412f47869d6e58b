/* The countries of organisations, for forms. */

export { COUNTRIES, currencyOf, habitsIn, localeIn } from '../../../domain/organisation/country.ts';
