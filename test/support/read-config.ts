import assert from 'node:assert/strict';
import { readConfig, type Config } from '../../src/server/configuration/config.ts';

export type Environment = Record<string, string>;

/** The configuration from these flags and variables. */
export function configOf(args: readonly string[], environment: Environment = {}, isTerminal = false): Config {
  const result = readConfig(args, environment, isTerminal);
  assert.ok('config' in result, 'problems' in result ? result.problems.join('\n') : '');
  return result.config;
}

/** What is wrong with them. */
export function problemsOf(args: readonly string[], environment: Environment = {}): readonly string[] {
  const result = readConfig(args, environment);
  assert.ok('problems' in result, 'problems were expected');
  return result.problems;
}
