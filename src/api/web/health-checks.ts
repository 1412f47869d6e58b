import { CHECKS, CHECK_NAMES } from '../../domain/health/checks.ts';

/* The checks of the data, in their order. */

export { CHECK_NAMES, CHECKS as CHECK_TITLES };
