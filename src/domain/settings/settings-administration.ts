import type { Access, Actor } from '../access.ts';
import { stampOf } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { SiteRecordStore } from '../organisation/ports.ts';
import type { Clock } from '../ports.ts';
import { requirePrecondition, type Precondition } from '../precondition.ts';
import type { EffectiveSetting } from '../system.ts';
import { mailOf, openMail, storedMailIn, type SentMail, type StoredMail } from './mail-settings.ts';
import type { SettingsHost, SettingsProblem } from './ports.ts';

interface SettingsAdministrationDeps {
  access: Access;
  /** @throws Failure `forbidden` without a recent proof that the session is used by its owner */
  requireProof: (actor: Actor) => Promise<void>;
  siteRecords: SiteRecordStore;
  /** A sentence that says why nothing can be stored, instead of a process that can. */
  settingsHost: SettingsHost | string;
  /** Undefined if the operator has not set it. */
  publicUrl: string | undefined;
  clock: Clock;
}

export interface MailSettingsView {
  /** 0 if no administrator has stored any yet. */
  version: bigint;
  stored: StoredMail | undefined;
  /** Why the stored ones are not used. */
  problem: SettingsProblem | undefined;
  fixed: readonly EffectiveSetting[];
  /** Settings that only the operator can set, and without which e-mail cannot be sent. */
  missing: readonly string[];
}

const RECORD = 'mail-settings';
const NAMES = ['smtp-url', 'mail-from'] as const;

/** Settings that are stored in the database. Every operation requires the permission `administer`. */
export class SettingsAdministration {
  readonly #deps: SettingsAdministrationDeps;

  constructor(deps: SettingsAdministrationDeps) {
    this.#deps = deps;
  }

  /** Without secrets. */
  async getMail(actor: Actor): Promise<MailSettingsView> {
    const { access, siteRecords, settingsHost: host, publicUrl } = this.#deps;
    access(actor, 'administer');
    const missing = publicUrl === undefined ? ['public-url'] : [];
    if (typeof host === 'string') return { version: 0n, stored: undefined, problem: undefined, fixed: [], missing };
    const record = await siteRecords.find(RECORD);
    const found = storedMailIn(record);
    const opened = typeof found === 'object' ? openMail(found, host) : found;
    return {
      version: record?.version ?? 0n,
      stored: typeof found === 'object' ? found : undefined,
      problem: typeof opened === 'string' ? opened : undefined,
      fixed: host.fixed(NAMES),
      missing,
    };
  }

  /**
   * Replaces the mail server; undefined removes it.
   *
   * @throws Failure `forbidden` without a recent proof; `invalid-input`; `precondition-failed`; `conflict` if the
   *   operator sets the server, or if something is missing that only the operator can set
   */
  async putMail(actor: Actor, sent: SentMail | undefined, precondition?: Precondition): Promise<MailSettingsView> {
    const { access, siteRecords, publicUrl } = this.#deps;
    access(actor, 'administer');
    const host = this.#requireHost();
    requireNotFixed(host, 'smtp-url');
    if (sent !== undefined && publicUrl === undefined)
      throw new Failure('conflict', 'E-mail has links to the service: the operator has to set --public-url first.');
    await this.#deps.requireProof(actor);
    const record = await siteRecords.find(RECORD);
    const version = record?.version ?? 0n;
    requirePrecondition(precondition, version);
    const before = storedMailIn(record);
    const stored = sent && (await mailOf(sent, typeof before === 'object' ? before : undefined, host));
    await this.#put(actor, RECORD, stored ?? null, version);
    return this.getMail(actor);
  }

  /** @throws Failure `conflict` */
  #requireHost(): SettingsHost {
    const { settingsHost } = this.#deps;
    if (typeof settingsHost === 'string') throw new Failure('conflict', settingsHost);
    return settingsHost;
  }

  /** @param version the one whose secrets were kept */
  async #put(actor: Actor, record: typeof RECORD, value: unknown, version: bigint): Promise<void> {
    const { siteRecords, clock } = this.#deps;
    const stamp = stampOf(actor, clock());
    const text = JSON.stringify(value);
    const precondition = { ifMatch: [{ weak: false, value: version.toString() }] };
    await siteRecords.apply({ kind: 'put', record, text, precondition, action: `${record}.changed`, stamp });
    await this.#requireHost().refresh();
  }
}

function requireNotFixed(host: SettingsHost, name: string): void {
  const [fixed] = host.fixed([name]);
  if (fixed !== undefined) throw new Failure('conflict', `The operator has set this: ${fixed.origin}.`);
}
