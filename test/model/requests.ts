import { ENDPOINTS } from '../../src/api/endpoints.ts';
import type { CallOptions, HttpResponse } from '../support/client.ts';
import { accountBody } from './accounts.ts';
import type { Answer } from './model.ts';
import { enquiryBody } from './enquiries.ts';
import { fileUpload } from '../support/multipart.ts';
import { digestAt, PHOTOS } from './photos.ts';
import { known } from './records.ts';
import { DEFAULT_ID, type Change, type SentCall, type SentChange } from './steps.ts';

/* The HTTP request of a call. */

export interface ModelRequest {
  method: string;
  path: string;
  options: CallOptions;
}

/** @param formKey signs the tokens of forms */
export function requestOf(call: SentCall, formKey: string): ModelRequest {
  const { method, path } = ENDPOINTS[call.kind];
  if (call.kind === 'setUserRole')
    return { method, path: path.replace('{username}', call.username), options: { json: { role: call.role } } };
  if ('newName' in call) {
    const target = path.replace('{username}', call.name).replace('{keyId}', call.keyId);
    return { method, path: target, options: { json: accountBody(call) } };
  }
  if ('person' in call) {
    const target = path.replace('{petId}', call.id).replace('{enquiryId}', call.target.id);
    return { method, path: target, options: { json: enquiryBody(call, formKey) } };
  }
  if (!('fields' in call)) {
    const query = call.kind === 'findPets' ? '?limit=100' : '';
    return { method, path: path.replace(/\{(petId|username)\}/, call.id) + query, options: {} };
  }
  const headers = {
    ...(call.match !== undefined && { 'if-match': `"${call.match}"` }),
    ...(call.isNew && { 'if-none-match': '*' }),
    ...(call.key !== undefined && { 'idempotency-key': call.key }),
  };
  const target = path
    .replace('{petId}', call.id ?? DEFAULT_ID)
    .replace('{version}', String(call.restores))
    .replace('{digest}', digestAt(call.photo ?? 0));
  const { headers: ofBody = {}, ...body } = bodyOf(call);
  return { method, path: target, options: { headers: { ...headers, ...ofBody }, ...body } };
}

/** The request with these changes as its lines. */
export function bulkRequestOf(calls: readonly SentChange[]): ModelRequest {
  const lines = calls.map((call) => JSON.stringify(lineOf(call)));
  const headers = { 'content-type': 'application/x-ndjson' };
  return { method: 'POST', path: '/v2/bulk', options: { headers, body: Buffer.from(lines.join('\n')) } };
}

function lineOf(call: SentChange): object {
  const { kind, id = DEFAULT_ID, fields, profile, match } = call;
  const ifMatch = match === undefined ? undefined : `"${match}"`;
  if (kind === 'deletePet') return { op: 'delete', id, ifMatch };
  if (kind === 'patchPet') return { op: 'patch', id, patch: fields, profile, ifMatch };
  const ifNoneMatch = call.isNew ? '*' : undefined;
  return { op: kind === 'addPet' ? 'create' : 'update', pet: bodyOf(call).json, ifMatch, ifNoneMatch };
}

/** The responses to the changes of a bulk request, which do not have the pets. */
export function answersIn(calls: readonly SentChange[], { status, text }: HttpResponse): readonly Answer[] {
  const lines = status === 200 ? text.trimEnd().split('\n') : [];
  return calls.map((_call, index) => {
    const line = /^\{"line":(\d+),"status":(\d+)(?:,"id":(\d+))?(?:,"etag":"\\"(\d+)\\"")?/.exec(lines[index] ?? '');
    if (line?.[1] !== String(index + 1)) return { status, text: undefined, etag: null };
    const [, , own, id, version] = line;
    return { status: Number(own), text: undefined, id, etag: version === undefined ? null : `"${version}"` };
  });
}

function bodyOf({ kind, id, fields, profile, photo = 0 }: Change): CallOptions {
  if (kind === 'uploadFile') return fileUpload(PHOTOS[photo]?.bytes ?? '');
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
  const { headers = {}, json, form, body: lines } = options;
  const credentials =
    who === 'anonymous' ? [] : [`-H "Authorization: Bearer $${who.toUpperCase().replaceAll(/\W+/g, '_')}"`];
  const others = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const isUpload = path.endsWith('uploadImage');
  const body = lines
    ? [isUpload ? '-F file=@photo.jpg' : `--data-binary ${quoted(Buffer.from(lines).toString())}`]
    : json === undefined
      ? Object.entries(form ?? {}).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
      : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(json))}`];
  return [`curl -i -X ${method} "$ORIGIN${path}"`, ...credentials, ...others, ...body].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
