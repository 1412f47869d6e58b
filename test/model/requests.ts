import { ENDPOINTS } from '../../src/api/endpoints.ts';
import type { CallOptions } from '../support/client.ts';
import type { Model } from './model.ts';
import { ifMatchOf, restoredVersion } from './pet-rules.ts';
import { known } from './records.ts';
import type { Call, Change } from './steps.ts';

/* The HTTP request of a call. */

export interface ModelRequest {
  method: string;
  path: string;
  options: CallOptions;
}

/** @param model as it is when the request is sent */
export function requestOf(call: Call, model: Model): ModelRequest {
  const { method, path } = ENDPOINTS[call.kind];
  if (call.kind === 'setUserRole')
    return { method, path: path.replace('{username}', call.username), options: { json: { role: call.role } } };
  if (!('fields' in call))
    return {
      method,
      path: path.replace('{petId}', call.id) + (call.kind === 'findPets' ? '?limit=100' : ''),
      options: {},
    };
  const versions = model.versionsOf(call.id ?? '1');
  const version = restoredVersion(call, versions)?.version ?? 987_654_321n;
  const ifMatch = call.ifMatch === undefined ? undefined : (ifMatchOf(call, versions) ?? 987_654_321n);
  const headers = {
    ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
    ...(call.isNew && { 'if-none-match': '*' }),
  };
  const target = path.replace('{petId}', call.id ?? '1').replace('{version}', String(version));
  return { method, path: target, options: { headers, ...bodyOf(call) } };
}

function bodyOf({ kind, id, fields, profile }: Change): Pick<CallOptions, 'json' | 'form'> {
  if (kind === 'addPet' || kind === 'updatePet')
    return { json: { id, ...fields, profile: profile === undefined ? undefined : known(profile) } };
  if (kind === 'patchPet') return { json: { ...fields, profile } };
  if (kind === 'replacePetProfile') return { json: known(profile ?? {}) };
  if (kind === 'patchPetProfile') return { json: profile ?? {} };
  if (kind !== 'updatePetWithForm') return {};
  const { name, status } = fields;
  return { form: { ...(name !== undefined && { name }), ...(status !== undefined && { status }) } };
}

/** The request as a line of a shell script. */
export function curlLine(who: string, { method, path, options }: ModelRequest): string {
  const { headers = {}, json, form } = options;
  const credentials =
    who === 'anonymous' ? [] : [`-H "Authorization: Bearer $${who.toUpperCase().replaceAll(/\W+/g, '_')}"`];
  const others = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const body =
    json === undefined
      ? Object.entries(form ?? {}).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
      : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(json))}`];
  return [`curl -i -X ${method} "$ORIGIN${path}"`, ...credentials, ...others, ...body].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
