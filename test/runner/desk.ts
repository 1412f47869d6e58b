import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startShared, type PostgresAddress, type SharedPostgres } from '../support/shared-postgres.ts';

/*
 * An HTTP server on loopback for the test processes of one run. It assigns files, and starts PostgreSQL on first use.
 */

export interface Desk {
  /** The value of MENAGERIE_TEST_RUNNER. */
  url: string;
  close(): Promise<void>;
}

/** @param nextFile takes the next file for a lane; null when none is left */
export async function openDesk(nextFile: (lane: number) => string | null): Promise<Desk> {
  const ends: (() => Promise<void>)[] = [];
  const lifetime = { after: (end: () => Promise<void>) => void ends.push(end) };
  let postgres: Promise<SharedPostgres> | undefined;
  const values: Readonly<Record<string, (argument: string) => Promise<unknown>>> = {
    '/next-file': (lane) => Promise.resolve(nextFile(Number(lane))),
    '/postgres': async () => addressOnly(await (postgres ??= startShared(lifetime))),
    '/postgres-log': async () => (await postgres)?.readLog() ?? '',
  };
  const server = createServer((request, response) => {
    const [path = '', argument = ''] = request.url?.split('?') ?? [];
    void (values[path]?.(argument) ?? Promise.reject(new Error(`Unknown path ${path}`))).then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      for (const end of ends) await end();
    },
  };
}

function addressOnly({ password, port, runAs, url, adminUrl, template }: SharedPostgres): PostgresAddress {
  return { password, port, runAs, url, adminUrl, template };
}
