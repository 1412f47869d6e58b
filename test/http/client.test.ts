import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, MenagerieError, NetworkError, type Client } from '../../src/client/client.ts';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { Authenticator, type CreationOptions, type RequestOptions } from '../support/authenticator.ts';
import { agedToken, ENQUIRY, OPEN_FORM, storeEnquiry } from '../support/enquiries.ts';
import { codeAt } from '../support/factors.ts';
import { newPkce, REDIRECT_URI, requestOf } from '../support/oauth.ts';
import { skipOperation } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { openTables } from '../support/stored.ts';
import { until } from '../support/until.ts';

const dataDir = await newSecuredFolder();
const place = await temporaryFolder({ after });
const service = await startSecuredService(
  { after },
  { dataDir, flags: ['--backup-to', place, '--webhook-private-addresses'] },
);
after(() => removeFolder(dataDir));

const MAX_ID = 2n ** 63n - 1n;

async function clientAs(username: string): Promise<Client> {
  const client = createClient({ base: service.base });
  await client.login(username, PASSWORDS[username] ?? assert.fail());
  return client;
}

const admin = await clientAs('root');
const anonymous = createClient({ base: service.base });
const tables = await openTables({ after }, service.dataDir);
const photoFile = new File([new Uint8Array(await makePhoto())], 'rex.jpg');

let count = 0;
const newName = (prefix: string) => `${prefix}${++count}`;

async function newPet(): Promise<bigint> {
  return (await admin.addPet({ body: { name: newName('pet'), status: 'available' } })).id;
}

async function newUser(): Promise<string> {
  const username = newName('user');
  await admin.createUser({ body: { username, password: PASSWORDS['otto'] ?? '' } });
  return username;
}

/** A client logged in to its own account. */
async function newLoggedInUser(): Promise<{ client: Client; username: string }> {
  const username = await newUser();
  const client = createClient({ base: service.base });
  await client.login(username, PASSWORDS['otto'] ?? '');
  return { client, username };
}

/** Passkeys work there, without a public URL. */
const local = createClient({ base: service.base.replace('127.0.0.1', 'localhost') });

async function newCodeUser() {
  const user = await newLoggedInUser();
  const { step, secret } = await user.client.startTotp();
  const { recoveryCodes = [] } = await user.client.confirmTotp({ body: { step, code: codeAt(secret, Date.now()) } });
  return { ...user, recoveryCodes };
}

async function newPasskeyUser() {
  const username = await newUser();
  const base = service.base.replace('127.0.0.1', 'localhost');
  const client = createClient({ base });
  await client.login(username, PASSWORDS['otto'] ?? '');
  const authenticator = new Authenticator(new URL(base).origin);
  const { step, options } = await client.startPasskey();
  const credential = authenticator.create(options as unknown as CreationOptions);
  return {
    client,
    username,
    authenticator,
    ...(await client.addPasskey({ body: { step, name: 'Phone', credential } })),
  };
}

/** Nothing listens there, and no name has to be looked up. */
const UNREACHABLE = 'http://127.0.0.1:1/';

async function newWebhook(): Promise<string> {
  return (await admin.createWebhook({ body: { url: UNREACHABLE, events: ['account.*'] } })).id;
}

async function newPhoto(): Promise<{ petId: bigint; digest: string }> {
  const petId = await newPet();
  await admin.uploadFile({ petId, body: { file: photoFile, additionalMetadata: 'Rex at the lake' } });
  const { photoUrls } = await admin.getPetById({ petId });
  return { petId, digest: photoUrls[0]?.split('/').at(-1) ?? assert.fail() };
}

async function newEnquiry(): Promise<bigint> {
  return BigInt(await storeEnquiry(tables.query));
}

/** test/http/e-mail.test.ts has a service that sends e-mail. */
const WITHOUT_MAIL = { status: 409, message: 'The service sends no e-mail. Start it with --smtp-url.' };

/** Every operation once, in typical use. */
const CALLS: Partial<Record<OperationId, () => Promise<unknown>>> = {
  async addPet() {
    const tags = [{ id: MAX_ID, name: 'large' }, 'small'];
    const pet = await admin.addPet({ body: { id: MAX_ID, name: 'Rex', category: { id: 7, name: 'Dogs' }, tags } });
    assert.deepEqual(pet, {
      id: MAX_ID,
      category: { id: 7n, name: 'Dogs' },
      name: 'Rex',
      photoUrls: [],
      tags: [{ id: MAX_ID, name: 'large' }, { name: 'small' }],
    });
  },
  async updatePet() {
    const id = await newPet();
    assert.equal((await admin.updatePet({ body: { id, name: 'Max' } })).name, 'Max');
  },
  async findPetsByStatus() {
    const id = await newPet();
    const pets = await admin.findPetsByStatus({ status: ['available', 'pending'] });
    assert.ok(pets.some((pet) => pet.id === id));
  },
  async findPetsByTags() {
    const tag = 'a, b&c';
    const { id } = await admin.addPet({ body: { name: 'Rex', tags: [{ name: 'x' }] } });
    assert.deepEqual(
      (await admin.findPetsByTags({ tags: ['x'] })).map((pet) => pet.id),
      [id],
    );
    assert.deepEqual(await admin.findPetsByTags({ tags: [tag] }), []);
  },
  async getPetById() {
    const petId = await newPet();
    assert.equal((await admin.getPetById({ petId: Number(petId) })).id, petId);
    const { etag, value } = await admin.getPetById.response({ petId });
    assert.equal(value?.id, petId);
    const again = await admin.getPetById.response({ petId }, { ifNoneMatch: etag ?? '' });
    assert.deepEqual([again.status, again.value], [304, undefined]);
    await assert.rejects(admin.getPetById({ petId }, { ifNoneMatch: '*' }), { code: 'not-modified', status: 304 });
  },
  async updatePetWithForm() {
    const petId = await newPet();
    await admin.updatePetWithForm({ petId, body: { name: 'Max', status: 'sold' } }, { ifMatch: '*' });
    const { name, status } = await admin.getPetById({ petId });
    assert.deepEqual([name, status], ['Max', 'sold']);
  },
  async changePets() {
    const id = await newPet();
    const body = [
      { op: 'patch', id, patch: { name: 'Max' } },
      { op: 'delete', id },
      { op: 'delete', id },
    ] as const;
    const responses = await Array.fromAsync(admin.changePets.lines({ body }));
    const again = await admin.changePets({ body: body.slice(1) });
    assert.deepEqual(
      again.map(({ status }) => status),
      [404, 404],
    );
    assert.deepEqual(
      responses.map(({ line, status }) => [line, status]),
      [
        [1, 200],
        [2, 200],
        [3, 404],
      ],
    );
    await assert.rejects(admin.getPetById({ petId: id }), { code: 'not-found' });
  },
  async deletePet() {
    const petId = await newPet();
    assert.equal((await admin.deletePet({ petId })).message, String(petId));
    await assert.rejects(admin.getPetById({ petId }), { code: 'not-found' });
  },
  async uploadFile() {
    const petId = await newPet();
    const body = { file: photoFile, additionalMetadata: 'Rex' };
    const { message } = await admin.uploadFile({ petId, body });
    assert.equal(message, `additionalMetadata: Rex\nFile uploaded to ./rex.jpg, ${photoFile.size} bytes`);
  },
  async createUser() {
    const username = newName('user');
    const { message } = await admin.createUser({ body: { id: 2n ** 60n, username, email: 'a@example.org' } });
    assert.equal(message, String(2n ** 60n));
    assert.equal((await admin.getUserByName({ username })).id, 2n ** 60n);
  },
  async createUsersWithArrayInput() {
    const { message } = await admin.createUsersWithArrayInput({ body: [{ username: newName('user') }] });
    assert.equal(message, 'ok');
  },
  async createUsersWithListInput() {
    const username = newName('user');
    const body = [{ username }, { username }];
    await assert.rejects(admin.createUsersWithListInput({ body }), (error) => {
      assert.ok(error instanceof MenagerieError);
      assert.equal(error.code, 'conflict');
      assert.ok(error.errors.length > 0);
      return true;
    });
  },
  async loginUser() {
    const text = await admin.loginUser({ username: 'root', password: PASSWORDS['root'] ?? '' });
    assert.match(text, /^logged in user session:\S+$/);
  },
  async logoutUser() {
    const { client } = await newLoggedInUser();
    assert.equal((await client.logoutUser()).message, 'ok');
    await assert.rejects(client.getAccount(), { code: 'unauthenticated' });
  },
  async getUserByName() {
    const username = `who?${newName('ever')} & co/`.replace('/', '');
    await admin.createUser({ body: { username } });
    assert.equal((await admin.getUserByName({ username })).username, username);
  },
  async updateUser() {
    const username = await newUser();
    await admin.updateUser({ username, body: { firstName: 'Ada' } });
    assert.equal((await admin.getUserByName({ username })).firstName, 'Ada');
  },
  async deleteUser() {
    const username = await newUser();
    assert.equal((await admin.deleteUser({ username })).message, username);
  },
  async loginUserWithBody() {
    const body = { username: 'root', password: 'wrong' };
    await assert.rejects(admin.loginUserWithBody({ body }), { message: 'Invalid username/password supplied' });
  },
  async patchPet() {
    const petId = await newPet();
    const patched = await admin.patchPet({ petId, body: { status: null, category: { id: MAX_ID } } });
    assert.deepEqual([patched.status, patched.category], [undefined, { id: MAX_ID }]);
  },
  async getPetProfile() {
    const petId = await newPet();
    assert.deepEqual(await admin.getPetProfile({ petId }), {});
  },
  async replacePetProfile() {
    const petId = await newPet();
    const profile = { species: 'cat', weightKg: 4.2, bondedWith: [{ id: MAX_ID }] } as const;
    assert.deepEqual(await admin.replacePetProfile({ petId, body: profile }), profile);
    assert.deepEqual(await admin.getPetProfile({ petId }), profile);
  },
  async patchPetProfile() {
    const petId = await newPet();
    await admin.replacePetProfile({ petId, body: { species: 'cat', size: 'S' } });
    assert.deepEqual(await admin.patchPetProfile({ petId, body: { size: null, unit: 'A1' } }), {
      species: 'cat',
      unit: 'A1',
    });
  },
  async findPets() {
    const tag = newName('tag');
    const ids: bigint[] = [];
    for (let index = 0; index < 3; index++) ids.push((await admin.addPet({ body: { name: 'Rex', tags: [tag] } })).id);
    const { pets, total } = await admin.findPets({ text: 're', tags: [tag], limit: 1 });
    assert.deepEqual([pets.map(({ id }) => id), total], [ids.slice(0, 1), 3]);
    const { petId, digest } = await newPhoto();
    const { covers } = await admin.findPets({ sort: 'newest', limit: 1, covers: true });
    assert.deepEqual(
      covers?.map((cover) => [cover.petId, cover.digest, cover.alt]),
      [[petId, digest, 'Rex at the lake']],
    );
    const all = await Array.fromAsync(admin.findPets.all({ tags: [tag], limit: 2 }));
    assert.deepEqual(
      all.map(({ id }) => id),
      ids,
    );
  },
  async countFacets() {
    const tag = newName('choice');
    await admin.addPet({ body: { name: 'Rex', tags: [tag], status: 'sold' } });
    const { statuses, tags } = await admin.countFacets({ tags: [tag], tagMatch: 'all' });
    assert.deepEqual(statuses.slice(-2), [
      { status: 'sold', count: 1 },
      { status: 'none', count: 0 },
    ]);
    assert.deepEqual((await admin.findPets({ tags: [tag], status: ['none'] })).pets, []);
    assert.deepEqual(
      tags.find(({ name }) => name === tag),
      { name: tag, count: 1 },
    );
  },
  async listSuggestions() {
    const [name, tag] = [newName('lulu'), newName('lulu')];
    await admin.addPet({ body: { name, category: { name: 'Dogs' }, tags: [tag] } });
    assert.deepEqual(await admin.listSuggestions({ text: `dogs ${name}`, limit: 1 }), {
      names: [{ name, text: `dogs ${name}`, count: 1 }],
      categories: [],
      tags: [],
      breeds: [],
    });
    assert.deepEqual((await admin.listSuggestions({ text: tag })).tags, [{ name: tag, text: '', count: 1 }]);
  },
  async listTags() {
    const tag = newName('word');
    await admin.addPet({ body: { name: 'Rex', tags: [tag] } });
    assert.deepEqual(await Array.fromAsync(admin.listTags.all({ text: tag })), [{ name: tag, count: 1 }]);
  },
  async listCategories() {
    const name = newName('kind');
    await admin.addPet({ body: { name: 'Rex', category: { name } } });
    assert.deepEqual(await admin.listCategories({ text: name }), [{ name, count: 1 }]);
  },
  async getStatistics() {
    await newPet();
    assert.ok((await admin.getStatistics()).total > 0);
  },
  async exportPets() {
    const id = await newPet();
    const pets = await Array.fromAsync(admin.exportPets.lines());
    assert.ok(pets.some((pet) => pet.id === id));
    const csv = await admin.exportPets({ format: 'csv' });
    assert.ok(typeof csv === 'string' && csv.includes(`\r\n${id},`));
  },
  async exportPetHistory() {
    const id = await newPet();
    await admin.deletePet({ petId: id });
    const changes = await Array.fromAsync(admin.exportPetHistory.lines());
    assert.deepEqual(
      changes.flatMap((change) => (change.id === id ? [change.type] : [])),
      ['pet.added', 'pet.deleted'],
    );
  },
  async listPetHistory() {
    const petId = await newPet();
    await admin.patchPet({ petId, body: { name: 'Max' } });
    const history = await Array.fromAsync(admin.listPetHistory.all({ petId, limit: 1 }));
    assert.deepEqual(
      history.map(({ action }) => action),
      ['edited', 'added'],
    );
    assert.equal(typeof history[0]?.version, 'bigint');
  },
  async getPetVersion() {
    const petId = await newPet();
    const [{ version } = assert.fail()] = await admin.listPetHistory({ petId });
    assert.equal((await admin.getPetVersion({ petId, version })).pet?.id, petId);
  },
  async restorePetVersion() {
    const petId = await newPet();
    const { name } = await admin.getPetById({ petId });
    const [{ version } = assert.fail()] = await admin.listPetHistory({ petId });
    await admin.patchPet({ petId, body: { name: 'Max' } });
    assert.equal((await admin.restorePetVersion({ petId, version })).name, name);
  },
  async listDeletedPets() {
    const [first, second] = [await newPet(), await newPet()];
    for (const petId of [first, second]) await admin.deletePet({ petId });
    const removed: bigint[] = [];
    for await (const { id, actor } of admin.listDeletedPets.all({ limit: 1 })) {
      assert.equal(actor?.name, 'root');
      if (removed.push(id) === 2) break;
    }
    assert.deepEqual(removed, [second, first]);
  },
  async restorePet() {
    const petId = await newPet();
    await admin.deletePet({ petId });
    assert.equal((await admin.restorePet({ petId })).id, petId);
  },
  async getOpenApiDocument() {
    const { etag, value } = await admin.getOpenApiDocument.response();
    assert.match(value?.openapi ?? '', /^3\.1/);
    assert.equal((await admin.getOpenApiDocument.response({}, { ifNoneMatch: etag ?? '' })).status, 304);
  },
  async getSwaggerDocument() {
    assert.equal((await admin.getSwaggerDocument()).swagger, '2.0');
  },
  async getArazzoDocument() {
    assert.ok((await admin.getArazzoDocument()).workflows.length > 0);
  },
  async streamEvents() {
    const petId = await newPet();
    for await (const event of admin.streamEvents({ lastEventId: 0, petId })) {
      assert.ok('pet' in event);
      assert.equal(event.pet?.id, petId);
      break;
    }
  },
  async listPetPhotos() {
    const { petId, digest } = await newPhoto();
    const [photo] = await admin.listPetPhotos({ petId });
    assert.ok(photo !== undefined && 'digest' in photo);
    assert.deepEqual([photo.digest, photo.alt], [digest, 'Rex at the lake']);
  },
  async reorderPetPhotos() {
    const { petId, digest } = await newPhoto();
    assert.equal((await admin.reorderPetPhotos({ petId, body: { photos: [digest] } })).length, 1);
  },
  async updatePetPhoto() {
    const { petId, digest } = await newPhoto();
    const [photo] = await admin.updatePetPhoto({ petId, digest, body: { alt: 'Rex', first: true } });
    assert.ok(photo !== undefined && 'digest' in photo);
    assert.equal(photo.alt, 'Rex');
  },
  async deletePetPhoto() {
    assert.deepEqual(await admin.deletePetPhoto(await newPhoto()), []);
  },
  async getPhoto() {
    const { digest } = await newPhoto();
    const photo = await admin.getPhoto({ digest });
    assert.equal(photo.type, 'image/jpeg');
    assert.ok(photo.size > 100);
  },
  async getResizedPhoto() {
    const { digest } = await newPhoto();
    assert.equal((await admin.getResizedPhoto({ digest, size: 'small' })).type, 'image/webp');
  },
  async getAccount() {
    const account = await admin.getAccount();
    assert.deepEqual([account.username, account.role, typeof account.id], ['root', 'admin', 'bigint']);
  },
  async changePassword() {
    const { client } = await newLoggedInUser();
    const newPassword = PASSWORDS['vera'] ?? '';
    await client.changePassword({ body: { oldPassword: PASSWORDS['otto'] ?? '', newPassword } });
  },
  async listSessions() {
    const { client } = await newLoggedInUser();
    assert.deepEqual(
      (await client.listSessions()).map(({ current }) => current),
      [true],
    );
  },
  async endOtherSessions() {
    const { client } = await newLoggedInUser();
    assert.equal((await client.endOtherSessions()).message, 'ok');
  },
  async endSession() {
    const { client } = await newLoggedInUser();
    const [session] = await client.listSessions();
    await client.endSession({ sessionId: session?.id ?? '' });
    await assert.rejects(client.getAccount(), { status: 401 });
  },
  async listKeys() {
    assert.deepEqual(await (await newLoggedInUser()).client.listKeys(), []);
  },
  async createKey() {
    const edna = await clientAs('edna');
    const { key } = await edna.createKey({ body: { name: newName('key'), scopes: ['write:pets'] } });
    const program = createClient({ base: service.base, apiKey: key });
    assert.equal((await program.addPet({ body: { name: 'Rex' } })).name, 'Rex');
  },
  async revokeKey() {
    const edna = await clientAs('edna');
    const { id } = await edna.createKey({ body: { name: newName('key'), scopes: ['read:pets'] } });
    assert.equal((await edna.revokeKey({ keyId: id })).message, id);
  },
  async createOAuthClient() {
    const { client } = await newLoggedInUser();
    const { secret, owner } = await client.createOAuthClient({ body: newProgram() });
    assert.match(secret ?? '', /^mgs_[\w-]{43}$/);
    assert.equal(owner, (await client.getAccount()).username);
  },
  async listOAuthClients() {
    const { client } = await newLoggedInUser();
    const { id } = await client.createOAuthClient({ body: newProgram() });
    assert.deepEqual(
      (await client.listOAuthClients()).map((each) => each.id),
      [id],
    );
  },
  async deleteOAuthClient() {
    const { client } = await newLoggedInUser();
    const { id } = await client.createOAuthClient({ body: newProgram() });
    assert.equal((await client.deleteOAuthClient({ clientId: id })).message, id);
  },
  async listAllOAuthClients() {
    const { id } = await (await newLoggedInUser()).client.createOAuthClient({ body: newProgram() });
    assert.ok((await admin.listAllOAuthClients()).some((each) => each.id === id));
  },
  async deleteAnyOAuthClient() {
    const { client } = await newLoggedInUser();
    const { id } = await client.createOAuthClient({ body: newProgram() });
    await admin.deleteAnyOAuthClient({ clientId: id });
    assert.deepEqual(await client.listOAuthClients(), []);
  },
  async requestToken() {
    const { credentials } = await newProgramWithSecret();
    const { scope } = await anonymous.requestToken({ body: { grant_type: 'client_credentials', ...credentials } });
    assert.equal(scope, 'read:pets');
  },
  async revokeToken() {
    const { credentials } = await newProgramWithSecret();
    const body = { grant_type: 'client_credentials', ...credentials };
    const { access_token: token } = await anonymous.requestToken({ body });
    await anonymous.revokeToken({ body: { token, ...credentials } });
  },
  async listAccessTokens() {
    const { client, credentials } = await newProgramWithSecret();
    await anonymous.requestToken({ body: { grant_type: 'client_credentials', ...credentials } });
    assert.deepEqual(
      (await client.listAccessTokens()).map(({ clientId }) => clientId),
      [credentials.client_id],
    );
  },
  async getConsent() {
    const { client, credentials } = await newProgramWithSecret();
    const { question } = await client.getConsent(requestOf({ id: credentials.client_id }, newPkce()));
    assert.deepEqual([question?.client.name, question?.scopes], ['Program', ['read:pets']]);
  },
  async giveConsent() {
    const { client, credentials } = await newProgramWithSecret();
    const parameters = requestOf({ id: credentials.client_id }, newPkce());
    const { redirectTo } = await client.giveConsent({ body: { isAllowed: true, parameters } });
    assert.match(redirectTo ?? '', /[?&]code=/);
  },
  async resetPassword() {
    const username = await newUser();
    const { token } = await admin.issueResetLink({ username });
    await createClient({ base: service.base }).resetPassword({ body: { token, newPassword: PASSWORDS['vera'] ?? '' } });
  },
  async listProviders() {
    assert.deepEqual(await anonymous.listProviders(), []);
  },
  async listLinkedProviders() {
    assert.deepEqual(await (await newLoggedInUser()).client.listLinkedProviders(), []);
  },
  // Without providers.
  async linkProvider() {
    const { client } = await newLoggedInUser();
    await assert.rejects(client.linkProvider({ body: { provider: 'none', returnTo: '/account' } }), { status: 404 });
  },
  async unlinkProvider() {
    const { client } = await newLoggedInUser();
    await assert.rejects(client.unlinkProvider({ loginId: 'none' }), { status: 404 });
  },
  async listUserProviders() {
    assert.deepEqual(await admin.listUserProviders({ username: await newUser() }), []);
  },
  async unlinkUserProvider() {
    const username = await newUser();
    await assert.rejects(admin.unlinkUserProvider({ username, loginId: 'none' }), { status: 404 });
  },
  async requestEmailConfirmation() {
    await assert.rejects((await newLoggedInUser()).client.requestEmailConfirmation(), WITHOUT_MAIL);
  },
  async confirmEmail() {
    await assert.rejects(admin.confirmEmail({ body: { token: 'A'.repeat(43) } }), WITHOUT_MAIL);
  },
  async requestPasswordReset() {
    await assert.rejects(admin.requestPasswordReset({ body: { email: 'ada@example.org' } }), WITHOUT_MAIL);
  },
  async createSavedSearch() {
    const body = { email: 'ada@example.org', search: 'species=dog', language: 'en' } as const;
    await assert.rejects(anonymous.createSavedSearch({ body }), WITHOUT_MAIL);
  },
  async confirmSavedSearch() {
    await assert.rejects(anonymous.confirmSavedSearch({ body: { token: 'A'.repeat(43) } }), WITHOUT_MAIL);
  },
  async stopSavedSearch() {
    assert.equal((await anonymous.stopSavedSearch({ token: 'A'.repeat(43) })).message, 'ok');
  },
  async listSavedSearches() {
    assert.deepEqual(await admin.listSavedSearches({ email: 'ada@example.org' }), []);
  },
  async eraseSavedSearches() {
    assert.deepEqual(await admin.eraseSavedSearches({ body: { email: 'ada@example.org' } }), { erased: 0 });
  },
  async resendInvitation() {
    await assert.rejects(admin.resendInvitation({ username: await newUser() }), WITHOUT_MAIL);
  },
  async listDeadMail() {
    assert.deepEqual(await admin.listDeadMail(), []);
  },
  async retryDeadMail() {
    await assert.rejects(admin.retryDeadMail({ mailId: 'none' }), WITHOUT_MAIL);
  },
  async deleteDeadMail() {
    await assert.rejects(admin.deleteDeadMail({ mailId: 'none' }), { status: 404 });
  },
  async testMail() {
    await assert.rejects(admin.testMail({ body: { to: 'ada@example.org' } }), WITHOUT_MAIL);
  },
  async searchUsers() {
    const username = await newUser();
    assert.deepEqual(
      (await admin.searchUsers({ text: username })).map((user) => user.username),
      [username],
    );
  },
  async inviteUser() {
    const username = newName('invited');
    const { token = '', expiresAt } = await admin.inviteUser({ body: { username, role: 'editor' } });
    assert.ok(Date.parse(expiresAt) > Date.now());
    assert.equal((await admin.getUserAsAdmin({ username })).invitation, 'pending');
    await createClient({ base: service.base }).resetPassword({ body: { token, newPassword: PASSWORDS['vera'] ?? '' } });
    const { invitation, role } = await admin.getUserAsAdmin({ username });
    assert.deepEqual({ invitation, role }, { invitation: undefined, role: 'editor' });
  },
  async getUserAsAdmin() {
    assert.equal((await admin.getUserAsAdmin({ username: 'edna' })).role, 'editor');
  },
  async setUserRole() {
    assert.equal((await admin.setUserRole({ username: await newUser(), body: { role: 'editor' } })).message, 'editor');
  },
  async closeUser() {
    const { client, username } = await newLoggedInUser();
    await admin.closeUser({ username });
    await assert.rejects(client.getAccount(), { code: 'unauthenticated' });
  },
  async reopenUser() {
    const username = await newUser();
    await admin.closeUser({ username });
    assert.equal((await admin.reopenUser({ username })).message, username);
  },
  async issueResetLink() {
    const { link, expiresAt } = await admin.issueResetLink({ username: await newUser() });
    assert.match(link, /#/);
    assert.ok(Date.parse(expiresAt) > Date.now());
  },
  async listUserSessions() {
    const { username } = await newLoggedInUser();
    assert.equal((await admin.listUserSessions({ username })).length, 1);
  },
  async endUserSessions() {
    const { client, username } = await newLoggedInUser();
    await admin.endUserSessions({ username });
    await assert.rejects(client.getAccount(), { code: 'unauthenticated' });
  },
  async listUserKeys() {
    assert.deepEqual(await admin.listUserKeys({ username: await newUser() }), []);
  },
  async revokeAnyKey() {
    await assert.rejects(admin.revokeAnyKey({ keyId: 'none' }), { message: 'API key not found' });
  },
  async getOrganisation() {
    await admin.updateOrganisation({ body: { name: 'Menagerie' } });
    assert.equal((await anonymous.getOrganisation()).name, 'Menagerie');
  },
  async updateOrganisation() {
    const body = { contact: { telephone: '030 1234' }, locations: [{ name: 'Am See', latitude: 52.5, longitude: 13 }] };
    const { contact, locations } = await admin.updateOrganisation({ body });
    assert.deepEqual([contact, locations?.[0]?.id], [body.contact, 'am-see']);
    await assert.rejects(admin.updateOrganisation({ body }, { ifMatch: '"1"' }), { code: 'precondition-failed' });
  },
  async updateLogo() {
    assert.equal((await admin.updateLogo({ body: { file: photoFile } })).logo?.sizes.small.width, 120);
  },
  async deleteLogo() {
    await admin.updateLogo({ body: { file: photoFile } });
    assert.equal((await admin.deleteLogo()).logo, undefined);
    await assert.rejects(admin.deleteLogo(), { code: 'not-found' });
  },
  async getOwnFields() {
    const field = { key: 'secret', type: 'text', label: { en: 'Secret', de: 'Geheim' }, isPublic: false } as const;
    await admin.updateOwnFields({ body: { fields: [field] } });
    assert.deepEqual(
      [await anonymous.getOwnFields(), await admin.getOwnFields()],
      [{ fields: [] }, { fields: [field] }],
    );
  },
  async updateOwnFields() {
    assert.deepEqual(await admin.updateOwnFields({ body: { fields: [] } }), { fields: [] });
  },
  async getEnquirySettings() {
    const { enabled, questions, sendsTo, retentionDays } = await admin.getEnquirySettings();
    assert.deepEqual([typeof enabled, questions, sendsTo, retentionDays], ['boolean', [], null, 365]);
  },
  async updateEnquirySettings() {
    const { enabled, language } = await admin.updateEnquirySettings({ body: OPEN_FORM });
    assert.deepEqual([enabled, language], [true, 'en']);
    const stale = admin.updateEnquirySettings({ body: OPEN_FORM }, { ifMatch: '"0"' });
    await assert.rejects(stale, { code: 'precondition-failed' });
  },
  async getEnquiryForm() {
    await admin.updateEnquirySettings({ body: OPEN_FORM });
    const { isOpen, token = '', minSeconds } = await anonymous.getEnquiryForm({ petId: await newPet() });
    assert.deepEqual([isOpen, minSeconds], [true, 3]);
    assert.match(token, /^\d+\./);
  },
  async sendEnquiry() {
    await admin.updateEnquirySettings({ body: OPEN_FORM });
    const petId = await newPet();
    const body = { ...ENQUIRY, token: await agedToken(tables.query, petId) };
    assert.equal((await anonymous.sendEnquiry({ petId, body })).message, 'The shelter has your enquiry.');
    assert.equal((await admin.listEnquiries({ petId }))[0]?.name, 'Ada');
  },
  async listEnquiries() {
    const id = await newEnquiry();
    const enquiries = await Array.fromAsync(admin.listEnquiries.all({ state: 'new', unassigned: true }));
    assert.ok(enquiries.some((enquiry) => enquiry.id === id && enquiry.entries === undefined));
  },
  async exportEnquiries() {
    await newEnquiry();
    const csv: unknown = await admin.exportEnquiries({ format: 'csv' });
    assert.ok(typeof csv === 'string' && csv.includes('May I visit Rex?'));
    const [first] = await Array.fromAsync(admin.exportEnquiries.lines());
    assert.deepEqual(first?.entries, []);
  },
  async getEnquiry() {
    assert.equal((await admin.getEnquiry({ enquiryId: await newEnquiry() })).email, ENQUIRY.email);
  },
  async updateEnquiry() {
    const body = { state: 'closed', assignee: 'edna' } as const;
    const { state, assignee } = await admin.updateEnquiry({ enquiryId: await newEnquiry(), body }, { ifMatch: '"1"' });
    assert.deepEqual({ state, assignee }, body);
  },
  async addEnquiryNote() {
    const { entries = [] } = await admin.addEnquiryNote({ enquiryId: await newEnquiry(), body: { text: 'Note' } });
    assert.deepEqual([entries[0]?.kind, entries[0]?.author.name], ['note', 'root']);
  },
  async answerEnquiry() {
    const answer = admin.answerEnquiry({ enquiryId: await newEnquiry(), body: { text: 'Yes' } });
    await assert.rejects(answer, { status: 409 });
  },
  async deleteEnquiry() {
    const enquiryId = await newEnquiry();
    await admin.deleteEnquiry({ enquiryId }, { ifMatch: '"1"' });
    await assert.rejects(admin.getEnquiry({ enquiryId }), { code: 'not-found' });
  },
  async eraseEnquiries() {
    await storeEnquiry(tables.query, 'erased@example.org');
    assert.deepEqual(await admin.eraseEnquiries({ body: { email: 'erased@example.org' } }), { erased: 1 });
  },
  async getEmbedding() {
    await admin.updateEmbedding({ body: { sites: 'listed', origins: ['https://www.example.org/'] } });
    assert.deepEqual(await anonymous.getEmbedding(), { sites: 'listed', origins: ['https://www.example.org'] });
  },
  async updateEmbedding() {
    assert.deepEqual(await admin.updateEmbedding({ body: { sites: 'none' } }), { sites: 'none', origins: [] });
    const body = { sites: 'all' } as const;
    await assert.rejects(admin.updateEmbedding({ body }, { ifMatch: '"0"' }), { code: 'precondition-failed' });
  },
  async getListingFeed() {
    const { key } = await admin.createFeedKey({ site: 'open' });
    const feed = await anonymous.getListingFeed({ site: 'open', file: 'pets.json', key });
    assert.ok(typeof feed === 'object' && feed.formatVersion === 1);
    const [other] = (await admin.createFeedKey({ site: 'adoptapet' })).urls;
    const config = {
      site: 'adoptapet',
      file: 'import.cfg',
      key: new URL(other ?? '').searchParams.get('key') ?? '',
    } as const;
    const text: unknown = await anonymous.getListingFeed(config);
    assert.ok(typeof text === 'string' && text.startsWith('#1:Id=Id\r\n'));
  },
  async listListings() {
    const sites = (await admin.listListings()).map(({ site }) => site);
    assert.deepEqual(sites, ['petfinder', 'adoptapet', 'rescuegroups', 'open']);
  },
  async updateListing() {
    assert.equal((await admin.updateListing({ site: 'open', body: { on: true } })).on, true);
  },
  async createFeedKey() {
    const { key, urls } = await admin.createFeedKey({ site: 'petfinder' });
    assert.ok(urls[0]?.endsWith(`/v2/feeds/petfinder/pets.csv?key=${key}`));
  },
  async revokeFeedKey() {
    const { key } = await admin.createFeedKey({ site: 'open' });
    await admin.revokeFeedKey({ site: 'open' });
    await assert.rejects(anonymous.getListingFeed({ site: 'open', file: 'pets.json', key }), {
      code: 'unauthenticated',
    });
  },
  async listListingPets() {
    const id = await newPet();
    const pets = await Array.fromAsync(admin.listListingPets.all({ site: 'open' }));
    assert.equal(pets.find((pet) => pet.id === id)?.listed, true);
  },
  async updateListingPet() {
    const petId = await newPet();
    await admin.updateListingPet({ site: 'open', petId, body: { listed: false } });
    const pets = await Array.fromAsync(admin.listListingPets.all({ site: 'open' }));
    assert.equal(pets.find((pet) => pet.id === petId)?.listed, false);
  },
  async listWebhooks() {
    const id = await newWebhook();
    assert.ok((await admin.listWebhooks()).some((webhook) => webhook.id === id));
  },
  async createWebhook() {
    const created = await admin.createWebhook({ body: { url: UNREACHABLE, events: ['pet.*'] } });
    assert.match(created.secret, /^whsec_/);
    assert.equal(typeof created.lastVersion, 'bigint');
  },
  async getWebhook() {
    assert.equal((await admin.getWebhook({ webhookId: await newWebhook() })).url, UNREACHABLE);
  },
  async updateWebhook() {
    const webhookId = await newWebhook();
    assert.equal((await admin.updateWebhook({ webhookId, body: { paused: true } })).state, 'paused');
  },
  async deleteWebhook() {
    const webhookId = await newWebhook();
    await admin.deleteWebhook({ webhookId });
    await assert.rejects(admin.getWebhook({ webhookId }), { code: 'not-found' });
  },
  async rotateWebhookSecret() {
    const { id: webhookId, secret } = await admin.createWebhook({ body: { url: UNREACHABLE, events: ['account.*'] } });
    const rotated = await admin.rotateWebhookSecret({ webhookId });
    assert.notEqual(rotated.secret, secret);
    assert.ok(Date.parse(rotated.previousSecretUntil ?? '') > Date.now());
    await assert.rejects(admin.rotateWebhookSecret({ webhookId }), { code: 'conflict' });
  },
  async endSecretRotation() {
    const webhookId = await newWebhook();
    await admin.rotateWebhookSecret({ webhookId });
    assert.equal((await admin.endSecretRotation({ webhookId })).previousSecretUntil, undefined);
  },
  async testWebhook() {
    assert.equal((await admin.testWebhook({ webhookId: await newWebhook() })).delivered, false);
  },
  async listDeadLetters() {
    assert.deepEqual(await admin.listDeadLetters({ webhookId: await newWebhook() }), []);
  },
  async retryDeadLetters() {
    assert.equal((await admin.retryDeadLetters({ webhookId: await newWebhook() })).message, '0');
  },
  async retryDeadLetter() {
    const letter = { webhookId: await newWebhook(), letterId: 7 };
    await assert.rejects(admin.retryDeadLetter(letter), { code: 'not-found' });
  },
  async listBackups() {
    assert.equal((await admin.listBackups()).place, place);
  },
  async startBackup() {
    assert.equal((await admin.startBackup()).state, 'running');
  },
  async downloadBackup() {
    const { name } = await admin.startBackup();
    const isFinished = async () => {
      const { backups } = await admin.listBackups();
      return backups.find((each) => each.name === name)?.state === 'finished';
    };
    await until('the backup is finished', isFinished);
    const archive = await admin.downloadBackup({ backup: name });
    assert.equal(Buffer.from(await new Response(archive).arrayBuffer()).byteLength % 512, 0);
  },
  async signInWithPassword() {
    const { token } = await anonymous.signInWithPassword({
      body: { username: await newUser(), password: PASSWORDS['otto'] ?? '' },
    });
    assert.ok(token !== undefined);
  },
  async signInWithCode() {
    const { username, recoveryCodes } = await newCodeUser();
    const { step = '' } = await anonymous.signInWithPassword({
      body: { username, password: PASSWORDS['otto'] ?? '' },
    });
    const code = recoveryCodes[0] ?? assert.fail();
    const { token } = await anonymous.signInWithCode({ body: { step, factor: 'recovery-code', code } });
    assert.equal((await createClient({ base: service.base, token: token ?? '' }).getAccount()).username, username);
  },
  async startPasskeySignIn() {
    assert.equal((await local.startPasskeySignIn()).options['rpId'], 'localhost');
  },
  async signInWithPasskey() {
    const { authenticator } = await newPasskeyUser();
    const { step, options } = await local.startPasskeySignIn();
    const credential = authenticator.get(options as unknown as RequestOptions);
    assert.ok((await local.signInWithPasskey({ body: { step, credential } })).token !== undefined);
  },
  async startPasskeyProof() {
    const { client } = await newPasskeyUser();
    assert.ok((await client.startPasskeyProof()).step.length > 20);
  },
  async proveOwnership() {
    const { client } = await newLoggedInUser();
    assert.equal((await client.proveOwnership({ body: { password: PASSWORDS['otto'] ?? '' } })).message, 'ok');
    await assert.rejects(client.proveOwnership({ body: {} }), { code: 'invalid-input' });
  },
  async getFactors() {
    const { client } = await newCodeUser();
    assert.deepEqual((await client.getFactors()).recoveryCodes, { total: 10, left: 10 });
  },
  async startTotp() {
    const { client } = await newLoggedInUser();
    assert.match((await client.startTotp()).uri, /^otpauth:/);
  },
  async confirmTotp() {
    assert.equal((await newCodeUser()).recoveryCodes.length, 10);
  },
  async deleteTotp() {
    const { client } = await newCodeUser();
    await client.deleteTotp();
    assert.equal((await client.getFactors()).totp, undefined);
  },
  async replaceRecoveryCodes() {
    const { client } = await newCodeUser();
    assert.equal((await client.replaceRecoveryCodes()).recoveryCodes.length, 10);
  },
  async listPasskeys() {
    const { client } = await newPasskeyUser();
    assert.deepEqual(
      (await client.listPasskeys()).map(({ name }) => name),
      ['Phone'],
    );
  },
  async startPasskey() {
    const { client } = await newPasskeyUser();
    assert.deepEqual((await client.startPasskey()).options['rp'], { id: 'localhost', name: 'Menagerie' });
  },
  async addPasskey() {
    assert.equal((await newPasskeyUser()).passkey.name, 'Phone');
  },
  async renamePasskey() {
    const { client, passkey } = await newPasskeyUser();
    await client.renamePasskey({ passkeyId: passkey.id, body: { name: 'Tablet' } });
    assert.equal((await client.listPasskeys())[0]?.name, 'Tablet');
  },
  async deletePasskey() {
    const { client, passkey } = await newPasskeyUser();
    await client.deletePasskey({ passkeyId: passkey.id });
    assert.deepEqual(await client.listPasskeys(), []);
  },
  async getUserFactors() {
    const { username } = await newCodeUser();
    assert.ok((await admin.getUserFactors({ username })).totp !== undefined);
  },
  async resetUserFactors() {
    const { username } = await newCodeUser();
    await admin.resetUserFactors({ username });
    assert.equal((await admin.getUserFactors({ username })).totp, undefined);
  },
  async createPlayground() {
    const created = await admin.createPlayground({ body: { contents: 'empty', access: 'secured' } });
    const own = createClient({ base: created.base });
    const { username, password } = created.users.find(({ role }) => role === 'editor') ?? assert.fail();
    await own.login(username, password);
    assert.equal((await own.addPet({ body: { name: 'Rex' } })).id, 1n);
  },
  async listPlaygrounds() {
    const { token } = await admin.createPlayground();
    assert.ok((await admin.listPlaygrounds()).some((each) => each.token === token));
  },
  async getPlayground() {
    const { token } = await admin.createPlayground();
    assert.equal((await anonymous.getPlayground({ token })).contents, 'samples');
  },
  async deletePlayground() {
    const { token } = await admin.createPlayground();
    await anonymous.deletePlayground({ token });
    await assert.rejects(anonymous.getPlayground({ token }), { code: 'not-found' });
  },
  async resetPlayground() {
    const { token } = await admin.createPlayground();
    assert.equal((await anonymous.resetPlayground({ token })).token, token);
  },
  async takePlaygroundSnapshot() {
    const { token } = await admin.createPlayground();
    assert.match((await anonymous.takePlaygroundSnapshot({ token })).id, /^\w+$/);
  },
  async listPlaygroundRequests() {
    const { token, base: own } = await admin.createPlayground();
    await createClient({ base: own }).getPetById({ petId: 1 });
    const [request, ...others] = await anonymous.listPlaygroundRequests({
      token,
      operation: 'getPetById',
      status: 200,
    });
    assert.deepEqual([request?.path, request?.status, others.length], ['/v2/pet/1', 200, 0]);
    assert.deepEqual(await Array.fromAsync(anonymous.listPlaygroundRequests.lines({ token })), [request]);
  },
  async exportPlaygroundRequests() {
    const { token, base: own } = await admin.createPlayground();
    await createClient({ base: own }).getPetById({ petId: 1 });
    const { log } = (await anonymous.exportPlaygroundRequests({ token })) as { log: { entries: unknown[] } };
    assert.equal(log.entries.length, 1);
  },
  async deletePlaygroundRequests() {
    const { token, base: own } = await admin.createPlayground();
    await createClient({ base: own }).getPetById({ petId: 1 });
    await anonymous.deletePlaygroundRequests({ token });
    assert.deepEqual(await anonymous.listPlaygroundRequests({ token }), []);
  },
  async restorePlaygroundSnapshot() {
    const { token } = await admin.createPlayground();
    const { id: snapshot } = await anonymous.takePlaygroundSnapshot({ token });
    assert.deepEqual((await anonymous.restorePlaygroundSnapshot({ token, snapshot })).snapshots.length, 1);
  },
  async getPlaygroundFaults() {
    const { token } = await admin.createPlayground();
    assert.deepEqual(await anonymous.getPlaygroundFaults({ token }), { rules: [] });
  },
  async setPlaygroundFaults() {
    const { token } = await admin.createPlayground();
    const { rules } = await anonymous.setPlaygroundFaults({ token, body: { rules: [{ fault: 'latency', seed: 1 }] } });
    assert.deepEqual(
      rules.map(({ fault, share, seed }) => [fault, share, seed]),
      [['latency', 1, 1]],
    );
  },
  async getPlaygroundBugs() {
    const { token } = await admin.createPlayground({ body: { bugs: ['bug-02'] } });
    const { bugs } = await anonymous.getPlaygroundBugs({ token, include: 'description' });
    assert.deepEqual(
      bugs.flatMap(({ id, on, description }) => (on ? [[id, description]] : [])),
      [['bug-02', 'If-Match is ignored, so that the change of another client is lost.']],
    );
  },
  async setPlaygroundBugs() {
    const { token } = await admin.createPlayground();
    const { bugs } = await anonymous.setPlaygroundBugs({ token, body: { on: ['bug-01', 'bug-20'] } });
    assert.deepEqual(
      bugs.flatMap(({ id, on }) => (on ? [id] : [])),
      ['bug-01', 'bug-20'],
    );
  },
  async getSystem() {
    const { jobs } = await admin.getSystem();
    assert.ok(jobs.some(({ name }) => name === 'health-checks'));
  },
  async getHealth() {
    assert.equal((await admin.getHealth()).error, null);
  },
  async checkHealth() {
    const { running, healthy } = await admin.checkHealth();
    assert.ok(running !== null || healthy !== null);
  },
  async listAuditEntries() {
    const id = await newPet();
    const filter = { action: 'pet.added', subject: String(id) };
    const [entry] = await admin.listAuditEntries(filter);
    assert.equal(typeof entry?.id, 'bigint');
    assert.equal(entry?.actor?.name, 'root');
    assert.deepEqual(await Array.fromAsync(admin.listAuditEntries.lines(filter)), [entry]);
  },
};

void describe('client', () => {
  for (const id of Object.keys(ENDPOINTS) as OperationId[])
    void it(`calls ${id}`, { skip: skipOperation(id) }, async () => {
      await (CALLS[id] ?? assert.fail(`no test here calls ${id} by the client`))();
    });

  void it('iterates over pages on demand', async () => {
    const [tag, other] = [newName('tag'), newName('tag')];
    const ids: bigint[] = [];
    for (let index = 0; index < 5; index++)
      ids.push((await admin.addPet({ body: { name: 'Rex', tags: [index % 2 === 0 ? tag : other] } })).id);
    const parameters = { tags: [tag, other], limit: 2 };
    const pages = await Array.fromAsync(admin.findPetsByTags.pages(parameters));
    assert.deepEqual(
      pages.map((page) => page.map((pet) => pet.id)),
      [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)],
    );
    assert.deepEqual(
      (await Array.fromAsync(admin.findPetsByTags.all(parameters))).map((pet) => pet.id),
      ids,
    );
    for await (const pet of admin.findPetsByTags.all(parameters)) {
      assert.equal(pet.id, ids[0]);
      break;
    }
  });

  void it('reports the progress of an upload to its last byte', async () => {
    const large = new File([new Uint8Array(await makePhoto({ width: 2000, height: 1700 }))], 'ä "rex".jpg');
    const petId = await newPet();
    const reports: { sentBytes: number; totalBytes: number }[] = [];
    const body = { file: large, additionalMetadata: 'ein Löwe' };
    const { message } = await admin.uploadFile({ petId, body }, { onProgress: (progress) => reports.push(progress) });
    assert.match(message, new RegExp(`^additionalMetadata: ein Löwe\n.*, ${large.size} bytes$`));
    const { sentBytes, totalBytes } = reports.at(-1) ?? assert.fail();
    assert.equal(sentBytes, totalBytes);
    assert.ok(totalBytes > large.size);
    assert.ok(reports.length > 1);
    assert.deepEqual(
      reports.map((each) => each.sentBytes),
      reports.map((each) => each.sentBytes).toSorted((a, b) => a - b),
    );
  });

  void it('logs in with an expiry, and out', async () => {
    const client = createClient({ base: `${service.base}/` });
    const { token, expiresAt } = await client.login('vera', PASSWORDS['vera'] ?? '');
    assert.ok((expiresAt?.getTime() ?? 0) > Date.now());
    assert.equal((await createClient({ base: service.base, token }).getAccount()).username, 'vera');
    await client.logout();
    await assert.rejects(client.getAccount(), { code: 'unauthenticated' });
    await assert.rejects(createClient({ base: service.base, token }).getAccount(), { code: 'unauthenticated' });
  });

  void it('sends an idempotency key once for repeated calls', async () => {
    const idempotencyKey = newName('key');
    const [first, again] = [
      await admin.addPet({ body: { name: 'Rex' } }, { idempotencyKey }),
      await admin.addPet({ body: { name: 'Rex' } }, { idempotencyKey }),
    ];
    assert.deepEqual(again, first);
    const options = { idempotencyKey: newName('key') };
    const body = [{ op: 'create', pet: { name: 'Rex' } }] as const;
    const [lines, same] = [
      await Array.fromAsync(admin.changePets.lines({ body }, options)),
      await Array.fromAsync(admin.changePets.lines({ body }, options)),
    ];
    assert.equal(lines[0]?.status, 200);
    assert.deepEqual(same, lines);
  });

  void it('reports errors with details, and refuses ids that may have been rounded', async () => {
    await assert.rejects(admin.addPet({ body: { name: ' ', photoUrls: [] } }), (error) => {
      assert.ok(error instanceof MenagerieError);
      assert.deepEqual([error.status, error.code, error.errors[0]?.path], [400, 'invalid-input', '/name']);
      return true;
    });
    await assert.rejects(admin.getPetById.response({ petId: 2 ** 60 }), RangeError);
    await assert.rejects(admin.getPetById({ petId: 2 ** 60 }), RangeError);
    await assert.rejects(admin.getUserByName({ username: '' }), /username is missing/);
    for (const username of ['.', '..']) await assert.rejects(admin.getUserByName({ username }), TypeError);
  });
});

void describe('client: events', () => {
  void it('arrive with bigints, and continue after the last one', async () => {
    const petId = await newPet();
    const ending = new AbortController();
    const seen: { version: bigint; type: string }[] = [];
    const first = admin.events({ petId, lastEventId: 0 }, { signal: ending.signal });
    for await (const event of first) {
      seen.push(event);
      if (seen.length === 1) await admin.patchPet({ petId, body: { name: 'Max' } });
      else break;
    }
    assert.deepEqual(
      seen.map(({ type }) => type),
      ['pet.added', 'pet.edited'],
    );
    await admin.deletePet({ petId });
    for await (const event of admin.events({ petId }, { lastEventId: seen[1]?.version ?? 0n })) {
      assert.deepEqual([event.type, 'id' in event && event.id], ['pet.deleted', petId]);
      break;
    }
  });

  void it('end on request, and are refused without permission', async () => {
    const ending = new AbortController();
    setTimeout(() => ending.abort(), 50);
    assert.deepEqual(await Array.fromAsync(admin.events({}, { signal: ending.signal })), []);
    const anonymous = createClient({ base: service.base });
    await assert.rejects(Array.fromAsync(anonymous.events({ kinds: ['account'] })), { code: 'unauthenticated' });
  });

  void it('end with an error when the session ends', async () => {
    const { client, username } = await newLoggedInUser();
    const other = createClient({ base: service.base });
    await other.login(username, PASSWORDS['otto'] ?? '');
    const petId = await newPet();
    const seen: string[] = [];
    await assert.rejects(
      async () => {
        for await (const { type } of client.events({ petId, lastEventId: 0 })) {
          seen.push(type);
          await other.endOtherSessions();
        }
      },
      { name: 'MenagerieError', code: 'unauthenticated' },
    );
    assert.deepEqual(seen, ['pet.added']);
  });

  void it('include resets, and continue after the version of one', async (t) => {
    const parameters: (string | string[] | undefined)[] = [];
    const { client } = await strange(t, (request, response) => {
      parameters.push(request.headers['last-event-id']);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const data = '{"version":7,"type":"reset","lastVersion":9}';
      response.end(`retry: 5\n\nid: 9\nevent: position\ndata: {"version":9}\n\nid: 7\nevent: reset\ndata: ${data}\n\n`);
    });
    const seen: unknown[] = [];
    for await (const event of client.events()) if (seen.push(event) === 2) break;
    const reset = { version: 7n, type: 'reset', lastVersion: 9n };
    assert.deepEqual(
      [seen, parameters],
      [
        [reset, reset],
        [undefined, '7'],
      ],
    );
  });

  void it('are complete and unique across broken connections', async (t) => {
    const parameters: (string | string[] | undefined)[] = [];
    const { client } = await strange(t, (request, response) => {
      parameters.push(request.headers['last-event-id']);
      const next = Number(request.headers['last-event-id'] ?? 0) + 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`retry: 5\n:\n\nid: ${next}\nevent: pet.added\ndata: {"version":${next},"type":"pet.added"}\n\n`);
      // The last event is truncated, and repeated on the next connection.
      response.write(`id: ${next + 1}\nevent: pet.added\ndata: {"version":`);
      setTimeout(() => response.destroy(), 5);
    });
    const versions: bigint[] = [];
    for await (const { version } of client.events()) if (versions.push(version) === 5) break;
    assert.deepEqual(versions, [1n, 2n, 3n, 4n, 5n]);
    assert.deepEqual(parameters, [undefined, '1', '2', '3', '4']);
  });
});

/** A server that the test controls, with a counter of requests, and a client of it. */
async function strange(t: TestContext, listener: RequestListener, options: Parameters<typeof createClient>[0] = {}) {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.method);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  // Outside of /v2, whose responses must agree with the documents.
  const base = `http://127.0.0.1:${port}/strange`;
  return { seen, base, client: createClient({ base, ...options }) };
}

const busy: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(503, { 'retry-after': '0', 'content-type': 'application/json' }).end('{"message":"Busy."}');
};

void describe('client with a failing server', () => {
  void it('retries reads the configured number of times', async (t) => {
    const { seen, client } = await strange(t, busy);
    await assert.rejects(client.getPetById({ petId: 1 }), { code: 'unavailable', retryAfterSeconds: 0 });
    assert.equal(seen.length, 3);
    const eager = await strange(t, busy, { retries: 0 });
    await assert.rejects(eager.client.getPetById({ petId: 1 }), { message: 'Busy.' });
    assert.equal(eager.seen.length, 1);
  });

  void it('retries changes only with an idempotency key', async (t) => {
    const { seen, client } = await strange(t, busy);
    await assert.rejects(client.addPet({ body: { name: 'Rex' } }), { status: 503 });
    await assert.rejects(client.deletePet({ petId: 1 }), { status: 503 });
    assert.deepEqual(seen, ['POST', 'DELETE']);
    await assert.rejects(client.deletePet({ petId: 1 }, { idempotencyKey: 'k' }), { status: 503 });
    assert.equal(seen.length, 3);
    await assert.rejects(client.addPet({ body: { name: 'Rex' } }, { idempotencyKey: 'k' }), { status: 503 });
    assert.equal(seen.length, 6);
  });

  for (const { status, header, times } of [
    { status: 409, header: { 'retry-after': '0' }, times: 3 },
    { status: 409, header: { 'retry-after': '31' }, times: 1 },
    { status: 409, header: {}, times: 1 },
    { status: 502, header: {}, times: 3 },
  ])
    void it(`sends a POST with a key ${times} times after ${status} ${JSON.stringify(header)}`, async (t) => {
      const keys: unknown[] = [];
      const { client, seen } = await strange(t, (request, response) => {
        request.resume();
        keys.push(request.headers['idempotency-key']);
        response.writeHead(status, header).end();
      });
      await assert.rejects(client.addPet({ body: { name: 'Rex' } }, { idempotencyKey: 'k' }), { status });
      assert.deepEqual(keys, Array(times).fill('k'));
      await assert.rejects(client.addPet({ body: { name: 'Rex' } }), { status });
      assert.equal(seen.length, times + 1);
    });

  for (const status of [301, 302, 303, 307, 308])
    void it(`does not follow redirects: ${status}`, async (t) => {
      const elsewhere = await strange(t, (_request, response) => void response.end('{"id":1}'));
      const leading: RequestListener = (request, response) => {
        request.resume();
        response.writeHead(status, { location: `${elsewhere.base}${request.url}` }).end();
      };
      const { client } = await strange(t, leading, { token: 'a', apiKey: 'b' });
      const calls = [
        () => client.getPetById({ petId: 1 }),
        () => client.addPet({ body: { name: 'Rex' } }),
        () => client.login('root', 'secret'),
        () => client.uploadFile({ petId: 1, body: { file: photoFile } }, { onProgress: () => {} }),
        () => Array.fromAsync(client.events()),
        () => Array.fromAsync(client.listAuditEntries.lines()),
      ];
      for (const call of calls)
        await assert.rejects(call(), { name: 'MenagerieError', status, message: /redirects are not followed/ });
      assert.deepEqual(elsewhere.seen, []);
    });

  void it('waits without a timeout if configured', async (t) => {
    const { client } = await strange(t, (_request, response) => {
      setTimeout(() => response.end('{"id":1}'), 50);
    });
    for (const timeoutMs of [Infinity, 2 ** 31])
      assert.equal((await client.getPetById({ petId: 1 }, { timeoutMs })).id, 1n);
  });

  void it('distinguishes network failures from error responses', async (t) => {
    const { client, seen } = await strange(t, (request) => void request.destroy());
    await assert.rejects(client.getPetById({ petId: 1 }), (error) => error instanceof NetworkError && !error.isTimeout);
    assert.equal(seen.length, 3);
    await assert.rejects(client.deletePet({ petId: 1 }), NetworkError);
    await assert.rejects(client.addPet({ body: { name: 'Rex' } }), NetworkError);
    assert.equal(seen.length, 5);
    const half = await strange(t, (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"id":1,');
      setTimeout(() => response.destroy(), 20);
    });
    await assert.rejects(half.client.getPetById({ petId: 1 }), NetworkError);
    await assert.rejects(Array.fromAsync(half.client.listAuditEntries.lines()), NetworkError);
  });

  void it('times out, and stops on an abort signal', async (t) => {
    const { client } = await strange(t, () => {}, { timeoutMs: 50 });
    await assert.rejects(client.getPetById({ petId: 1 }), (error) => error instanceof NetworkError && error.isTimeout);
    const reason = new Error('enough');
    const calls = [
      (signal: AbortSignal) => client.getPetById({ petId: 1 }, { signal, timeoutMs: 10_000 }),
      (signal: AbortSignal) => Array.fromAsync(client.listAuditEntries.lines({}, { signal, timeoutMs: 10_000 })),
      (signal: AbortSignal) =>
        client.uploadFile({ petId: 1, body: { file: photoFile } }, { signal, onProgress: () => {} }),
    ];
    for (const call of calls) {
      const ending = new AbortController();
      const outcome = assert.rejects(call(ending.signal), (error) => error === reason);
      await delay(20);
      ending.abort(reason);
      await outcome;
      await assert.rejects(call(AbortSignal.abort(reason)), (error) => error === reason);
    }
  });

  void it('events: reconnects after Retry-After', async (t) => {
    const askedAtMs: number[] = [];
    const { client } = await strange(t, (_request, response) => {
      askedAtMs.push(performance.now());
      if (askedAtMs.length === 1) response.writeHead(503, { 'retry-after': '1' }).end();
      else
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write('id: 1\nevent: pet.added\ndata: {"version":1}\n\n');
    });
    for await (const event of client.events()) if (event.version === 1n) break;
    const [refusedAtMs = 0, followedAtMs = 0] = askedAtMs;
    assert.ok(followedAtMs - refusedAtMs > 950, `${followedAtMs - refusedAtMs} ms`);
  });

  for (const status of [409, 503])
    void it(`stops during a wait between retries after ${status}`, async (t) => {
      const ending = new AbortController();
      // The whole response is there, so the client reads it without waiting for the network.
      const fetchThenAbort: typeof fetch = async (...request) => {
        const response = await fetch(...request);
        const { headers } = response;
        const received = new Response(await response.text(), { status, headers });
        setImmediate(() => ending.abort());
        return received;
      };
      const { client, seen } = await strange(
        t,
        (request, response) => {
          request.resume();
          response.writeHead(status, { 'retry-after': '20' }).end();
        },
        { fetch: fetchThenAbort },
      );
      const options = { idempotencyKey: 'k', signal: ending.signal };
      await assert.rejects(client.addPet({ body: { name: 'Rex' } }, options), { name: 'AbortError' });
      assert.equal(seen.length, 1);
    });

  void it('refuses the HTML page of a proxy as a response', async (t) => {
    const { client } = await strange(
      t,
      (_request, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>'),
    );
    await assert.rejects(client.getPetById({ petId: 1 }), { code: 'unexpected', status: 502 });
    const { client: other } = await strange(
      t,
      (_request, response) => void response.end('<h1>Log in to this Wi-Fi</h1>'),
    );
    await assert.rejects(other.getPetById({ petId: 1 }), NetworkError);
    await assert.rejects(Array.fromAsync(other.events()), { code: 'unexpected', status: 200 });
  });
});

function newProgram() {
  return { name: 'Program', redirectUris: [REDIRECT_URI], scopes: ['read:pets'], isPublic: false } as const;
}

async function newProgramWithSecret() {
  const { client } = await newLoggedInUser();
  const { id, secret = '' } = await client.createOAuthClient({ body: newProgram() });
  return { client, credentials: { client_id: id, client_secret: secret } };
}
