import type { Access, Actor } from '../access.ts';
import type { DatabaseServer, ReadDatabaseServers } from './database-servers.ts';
import type { HealthMonitor, HealthState } from './report.ts';

interface HealthAdministrationDeps {
  access: Access;
  monitor: HealthMonitor;
  /** Undefined for a database without servers. */
  databaseServers?: ReadDatabaseServers | undefined;
}

export interface NodeHealth extends HealthState {
  servers: readonly DatabaseServer[];
}

/** The health checks of a node, for administrators. */
export class HealthAdministration {
  readonly #access: Access;
  readonly #monitor: HealthMonitor;
  readonly #readServers: ReadDatabaseServers;

  constructor({ access, monitor, databaseServers }: HealthAdministrationDeps) {
    this.#access = access;
    this.#monitor = monitor;
    this.#readServers = databaseServers ?? (() => Promise.resolve([]));
  }

  async get(actor: Actor): Promise<NodeHealth> {
    this.#access(actor, 'administer');
    const [state, servers] = await Promise.all([this.#monitor.read(), this.#readServers()]);
    return { ...state, servers };
  }

  /** Starts a check in the background, unless one is running. @throws Failure `conflict` if the data is in memory */
  async start(actor: Actor): Promise<NodeHealth> {
    this.#access(actor, 'administer');
    await this.#monitor.start();
    return this.get(actor);
  }

  stop(): Promise<void> {
    return this.#monitor.stop();
  }
}
