import { juno, waffles } from './dogs-long.ts';
import { biscuit, pepper } from './dogs-rough.ts';
import { bruno, olive } from './dogs-smooth.ts';

/** The six dogs. */
export const dogs = { biscuit, juno, waffles, pepper, olive, bruno };
