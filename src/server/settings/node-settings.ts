import { setTimeout as delay } from 'node:timers/promises';
import type { SiteRecord, SiteRecordKind, SiteRecordStore } from '../../domain/organisation/ports.ts';
import { openMail, storedMailIn } from '../../domain/settings/mail-settings.ts';
import type { SettingsHost, SettingsProblem } from '../../domain/settings/ports.ts';
import { isLocalHost } from '../../services/mail/smtp-url.ts';
import { MAIL_TIMEOUT_MS, type Config, type LiveSettings, type MailSettings } from '../configuration/config.ts';
import { logTrouble, type Logger } from '../log/log.ts';
import { ProcessEnvironment } from './environment.ts';

/** Polling interval for changes of other nodes. */
const POLL_MS = 2000;

interface NodeSettingsDeps {
  config: Config;
  siteRecords: Pick<SiteRecordStore, 'find'>;
  log: Logger;
}

/** The settings of a node that administrators can change: those of the operator, or else the stored ones. */
export class NodeSettings extends ProcessEnvironment implements LiveSettings, SettingsHost {
  readonly #deps: NodeSettingsDeps;
  readonly #mail: StoredPart<MailSettings>;

  private constructor(deps: NodeSettingsDeps) {
    super(deps.config);
    this.#deps = deps;
    this.#mail = new StoredPart(deps, 'mail-settings', (record) => this.#readMail(record));
  }

  static async open(deps: NodeSettingsDeps): Promise<NodeSettings> {
    const settings = new NodeSettings(deps);
    await settings.refresh();
    return settings;
  }

  get mail(): MailSettings | undefined {
    return this.#deps.config.mail ?? this.#mail.current;
  }

  async refresh(): Promise<void> {
    await this.#mail.refresh();
  }

  /** Applies changes of other nodes until the returned function is called. */
  watch(): () => Promise<void> {
    const stopping = new AbortController();
    const onTrouble = logTrouble(this.#deps.log, 'reading stored settings failed; retrying');
    const keepReading = async () => {
      while (!stopping.signal.aborted) {
        await delay(POLL_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
        if (!stopping.signal.aborted) await this.refresh().catch(onTrouble);
      }
    };
    const reading = keepReading();
    return async () => {
      stopping.abort();
      await reading;
    };
  }

  #readMail(record: SiteRecord | undefined): MailSettings | SettingsProblem | undefined {
    const stored = storedMailIn(record);
    const opened = typeof stored === 'object' ? openMail(stored, this) : stored;
    const { publicUrl } = this.#deps.config.http;
    if (typeof opened !== 'object' || publicUrl === undefined) return typeof opened === 'object' ? undefined : opened;
    const { host, port, security, username: user, password: pass } = opened;
    const auth = user === undefined || pass === undefined ? undefined : { user, pass };
    const [fixedFrom] = this.fixed(['mail-from']);
    return {
      smtp: { host, port, security, auth, isLocal: isLocalHost(host), isPublicOnly: !this.isPrivateAllowed },
      from: fixedFrom?.value ?? opened.from ?? '',
      publicUrl,
      timeoutMs: MAIL_TIMEOUT_MS,
    };
  }
}

/** The settings of one record. They are read again when its version, or the key for its secrets, has changed. */
class StoredPart<T extends object> {
  readonly #deps: NodeSettingsDeps;
  readonly #kind: SiteRecordKind;
  readonly #read: (record: SiteRecord | undefined) => T | SettingsProblem | undefined;
  #version: bigint | undefined;
  #value: T | SettingsProblem | undefined;

  constructor(
    deps: NodeSettingsDeps,
    kind: SiteRecordKind,
    read: (record: SiteRecord | undefined) => T | SettingsProblem | undefined,
  ) {
    this.#deps = deps;
    this.#kind = kind;
    this.#read = read;
  }

  get current(): T | undefined {
    return typeof this.#value === 'object' ? this.#value : undefined;
  }

  async refresh(): Promise<void> {
    const record = await this.#deps.siteRecords.find(this.#kind);
    const version = record?.version ?? 0n;
    if (version === this.#version && this.#value !== 'secret') return;
    const before = this.#version === version ? this.#value : undefined;
    this.#value = this.#read(record);
    this.#version = version;
    if (typeof this.#value === 'string' && this.#value !== before)
      this.#deps.log.error({ settings: this.#kind, reason: REASONS[this.#value] }, 'stored settings are not used');
  }
}

const REASONS: Readonly<Record<SettingsProblem, string>> = {
  invalid: 'they are invalid',
  secret: 'the key does not open their secrets: an administrator has to enter these again',
};
