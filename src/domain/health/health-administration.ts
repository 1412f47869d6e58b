import type { Access, Actor } from '../access.ts';
import type { HealthMonitor, HealthState } from './report.ts';

/** The health checks of a node, for administrators. */
export class HealthAdministration {
  readonly #access: Access;
  readonly #monitor: HealthMonitor;

  constructor({ access, monitor }: { access: Access; monitor: HealthMonitor }) {
    this.#access = access;
    this.#monitor = monitor;
  }

  async get(actor: Actor): Promise<HealthState> {
    this.#access(actor, 'administer');
    return this.#monitor.read();
  }

  /** Starts a check in the background, unless one is running. @throws Failure `unavailable` if the data is in memory */
  async start(actor: Actor): Promise<HealthState> {
    this.#access(actor, 'administer');
    await this.#monitor.start();
    return this.#monitor.read();
  }

  /** Ends a running check. */
  stop(): Promise<void> {
    return this.#monitor.stop();
  }
}
