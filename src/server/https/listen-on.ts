import type { Server } from 'node:net';
import { explainListenError } from '../log/explain-failure.ts';
import type { SettingName } from '../configuration/settings.ts';
import type { ListenAddress } from '../configuration/setting-values.ts';

const ALL_IPV6 = '::';
const ALL_IPV4 = '0.0.0.0';

/**
 * Listens on an address. All addresses are those of IPv4 if the machine has no IPv6.
 *
 * @throws Failure `unavailable` if the address cannot be used
 */
export async function listenOn(server: Server, { host, port }: ListenAddress, setting: SettingName): Promise<void> {
  try {
    await listen(server, host, port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (host !== ALL_IPV6 || (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL'))
      throw explainListenError(error, { host, port }, setting);
    await listenOn(server, { host: ALL_IPV4, port }, setting);
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
