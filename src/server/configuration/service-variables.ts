import { PREFIX } from './settings.ts';

/*
 * Kubernetes passes the addresses of each Service to all containers of the namespace, in variables that begin with its
 * name (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables). Those of a Service
 * called `menagerie` or `menagerie-database` begin like our own; `MENAGERIE_PORT` is even the name of a setting.
 */

const NUMBER = /^\d{1,5}$/;
const ADDRESS = /^[\da-f.:]{2,45}$/i;
const URL_OF_PORT = /^(?:tcp|udp|sctp):\/\/[\da-f.:[\]]{2,47}:\d{1,5}$/i;
const PROTOCOL = /^(?:tcp|udp|sctp)$/i;

/** The ends of the names, and the form of their values. */
const FORMS: readonly (readonly [end: RegExp, value: RegExp])[] = [
  [/_SERVICE_HOST$/, ADDRESS],
  [/_SERVICE_PORT(?:_[A-Z\d_]{1,15})?$/, NUMBER],
  [/_PORT(?:_\d{1,5}_(?:TCP|UDP|SCTP))?$/, URL_OF_PORT],
  [/_PORT_\d{1,5}_(?:TCP|UDP|SCTP)_PROTO$/, PROTOCOL],
  [/_PORT_\d{1,5}_(?:TCP|UDP|SCTP)_PORT$/, NUMBER],
  [/_PORT_\d{1,5}_(?:TCP|UDP|SCTP)_ADDR$/, ADDRESS],
];

export function isServiceVariable(name: string, value: string): boolean {
  return name.startsWith(PREFIX) && FORMS.some(([end, form]) => end.test(name) && form.test(value));
}

/** The names of these variables, which are no settings. */
export function serviceVariablesIn(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(environment).filter((name) => isServiceVariable(name, environment[name] ?? ''));
}
