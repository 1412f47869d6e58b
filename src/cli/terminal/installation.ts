import { readOwnConfig, type Config } from '../../server/configuration/config.ts';
import { UsageError } from './output.ts';

/** Flags of the commands that open the data of an installation themselves. */
export const INSTALLATION_FLAGS = {
  'data-dir': { type: 'string' },
  config: { type: 'string' },
} as const;

type InstallationFlags = Readonly<Partial<Record<keyof typeof INSTALLATION_FLAGS, unknown>>>;

/**
 * The settings of the installation: those of its service.
 *
 * @throws UsageError with all problems
 */
export function readInstallationConfig(flags: InstallationFlags): Config {
  const given = (['data-dir', 'config'] as const).flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [`--${name}=${value}`] : [];
  });
  // The rules of secured access apply to users with a role. The host does not matter here, but open access would refuse
  // some.
  const result = readOwnConfig(['--access', 'secured', ...given]);
  if ('problems' in result) throw new UsageError(result.problems.join('\n'));
  return result.config;
}
