import type { EffectiveSetting } from '../system.ts';

/* Settings that administrators store in the database, beside those of flags, variables and the config file. */

/** Encrypts secrets with a key that is not in the database. */
export interface Secrets {
  /**
   * @param name the purpose of the secret and the server that gets it: the secret opens under no other name
   * @throws Failure `conflict` if there is no key
   */
  seal(name: string, text: string): Promise<string>;
  /** Undefined without the key, and if it was sealed with another one or for something else. */
  open(name: string, sealed: string): string | undefined;
}

/** The conditions under which stored settings are used. */
export interface SettingsEnvironment {
  secrets: Secrets;
  /** Whether stored settings may name servers in the private network, this machine included. */
  isPrivateAllowed: boolean;
  /** Whether this is the address or the name of a server that stored settings may name. */
  mayConnectTo(host: string): boolean;
  /** Those of these settings that a flag, a variable or the config file sets: they win. */
  fixed(names: readonly string[]): readonly EffectiveSetting[];
}

/** The process whose settings are changed. */
export interface SettingsHost extends SettingsEnvironment {
  /** Applies what is stored. Other nodes do it within seconds. */
  refresh(): Promise<void>;
}

/** Why stored settings are not used. `secret`: the key does not open them. */
export type SettingsProblem = 'invalid' | 'secret';
