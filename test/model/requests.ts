import { ENDPOINTS } from '../../src/api/endpoints.ts';
import type { CallOptions } from '../support/client.ts';
import { known } from './records.ts';
import { DEFAULT_ID, type Change, type SentCall } from './steps.ts';

/* The HTTP request of a call. */

export interface ModelRequest {
  method: string;
  path: string;
  options: CallOptions;
}

export function requestOf(call: SentCall): ModelRequest {
  const { method, path } = ENDPOINTS[call.kind];
  if (call.kind === 'setUserRole')
    return { method, path: path.replace('{username}', call.username), options: { json: { role: call.role } } };
  if (!('fields' in call)) {
    const query = call.kind === 'findPets' ? '?limit=100' : '';
    return { method, path: path.replace('{petId}', call.id) + query, options: {} };
  }
  const headers = {
    ...(call.match !== undefined && { 'if-match': `"${call.match}"` }),
    ...(call.isNew && { 'if-none-match': '*' }),
  };
  const target = path.replace('{petId}', call.id ?? DEFAULT_ID).replace('{version}', String(call.restores));
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
