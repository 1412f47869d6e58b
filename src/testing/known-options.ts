import { didYouMean } from '../api/words/nearest-name.ts';
import { Failure } from '../domain/failure.ts';

/**
 * A typing error must not mean that the option is absent: suites in JavaScript have no compiler that says so.
 *
 * @throws Failure `invalid-input`
 */
export function requireKnown(given: object, names: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const question = didYouMean(unknown, names) || ` The options are ${names.join(', ')}.`;
  throw new Failure('invalid-input', `Unknown option: ${unknown}.${question}`);
}
