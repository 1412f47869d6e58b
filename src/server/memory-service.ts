import { FEATURE_SETTINGS_IN_TESTS } from '../features/names.ts';
import { readConfig } from './configuration/config.ts';
import { createLog } from './log/log.ts';
import { startService } from './service.ts';

const FLAGS = ['--config=', '--ephemeral', '--access=open', '--port=0', '--empty', '--playground-memory-mib=1024'];

/** In memory, on a free port of the loopback address. Ignores the environment, which is that of a test suite. */
export async function startMemoryService(): Promise<{ base: string; stop: () => Promise<void> }> {
  const ofFeatures = Object.entries(FEATURE_SETTINGS_IN_TESTS).map(([name, value]) => `--${name}=${value}`);
  const result = readConfig([...FLAGS, ...ofFeatures], {});
  if ('problems' in result) throw new Error(result.problems.join(' '));
  const service = await startService(result.config, await createLog('error', 'pretty'));
  return { base: `${service.origin}/v2`, stop: () => service.stop() };
}
