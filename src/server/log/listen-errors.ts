import { Failure } from '../../domain/failure.ts';
import type { SettingName } from '../configuration/settings.ts';

interface Address {
  host: string;
  port: number;
}

/**
 * Turns the error of a server that cannot listen into a Failure `unavailable`. Other errors are returned unchanged.
 *
 * @param setting that has both host and port; by default, they are two settings
 */
export function explainListenError(error: unknown, { host, port }: Address, setting?: SettingName): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const [hostFlag, portFlag] = [`--${setting ?? 'host'}`, `--${setting ?? 'port'}`];
  if (code === 'EADDRINUSE') {
    return new Failure(
      'unavailable',
      `Port ${port} on ${host} is in use by another program. Use another with ${portFlag}; 0 selects a free one.`,
    );
  }
  if (code === 'EACCES')
    return new Failure('unavailable', `Port ${port} requires more privileges. Use one above 1023 with ${portFlag}.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EINVAL') {
    return new Failure('unavailable', `${host} is not an address of this machine. Use another with ${hostFlag}.`);
  }
  return error;
}
