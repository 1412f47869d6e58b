import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { addPetWithPhoto, checkPet } from '../support/first-use.ts';
import { runMenagerie, startServer } from '../support/menagerie-process.ts';
import { PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';
import { asRecord, asText, environmentOf, servicesOf, type Service } from './compose-files.ts';
import { buildImage, writeScript, type RunOptions } from './image.ts';
import type { Yaml } from './read-yaml.ts';

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
const skip = !canMount && 'needs Linux, unshare and root';

const asTexts = (value: Yaml) => (value as readonly Yaml[]).map(asText);

function optionsOf(service: Service, volume: string): RunOptions {
  return {
    user: asText(service['user']),
    isReadOnly: service['read_only'] === 'true',
    mounts: asTexts(service['volumes']).map((text) => [volume, text.split(':')[1] ?? '']),
    tmpfs: Object.fromEntries(asTexts(service['tmpfs']).map((text) => text.split(':') as [string, string])),
  };
}

void describe('container', { skip }, () => {
  void it('image and compose.yaml: run as an unprivileged user on a read-only file system', async (t) => {
    const image = await buildImage(t);
    const compiled = await readdir(join(image.root, 'app/node_modules/.cache/menagerie'), { recursive: true });
    assert.ok(compiled.length > 50, `the image has a compile cache of ${compiled.length} files`);
    const [, service] = (await servicesOf('compose.yaml'))[0] ?? assert.fail('no service');
    const volume = await temporaryFolder(t);
    const { uid, gid, mode } = await stat(join(image.root, 'data'));
    await chown(volume, uid, gid);
    const options = optionsOf(service, volume);
    assert.deepEqual([`${uid}:${gid}`, mode & 0o777], [options.user, 0o700], 'a new volume gets the owner of /data');
    // On loopback, because the container shares the network of this machine.
    const environment = { ...environmentOf(service, {}), MENAGERIE_HOST: '127.0.0.1' };
    const shell = await writeScript(image, options);
    const runInside = (program: readonly string[], port = '') =>
      spawnSync('sh', [shell, ...program], { env: { ...environment, MENAGERIE_PORT: port }, encoding: 'utf8' });
    const places = ['/app', '/app/node_modules/.cache', '/data', '/tmp', '/'];
    const writable = places.filter((place) => runInside(['touch', `${place}/probe`]).status === 0);
    assert.deepEqual(writable, ['/data', '/tmp']);
    assert.match(runInside(['grep', '^Cap', '/proc/self/status']).stdout, /^(?:Cap\w+:\t0+\n)+$/);

    assert.deepEqual(image.command, ['serve']);
    const executable = await writeScript(image, { ...options, program: image.entrypoint });
    const asContainer = { node: 'sh', executable, environment };
    const password = PASSWORDS['root'] ?? '';
    const command = ['user', 'create', 'root', '--role', 'admin'];
    const created = await runMenagerie(t, command, { ...asContainer, input: `${password}\n` });
    assert.equal(created.code, 0, created.stderr);

    const server = await startServer(t, '/data', [], asContainer);
    assert.deepEqual(asRecord(service['healthcheck'])['test'], ['CMD', ...image.healthCheck]);
    assert.equal(runInside(image.healthCheck, new URL(server.origin).port).status, 0);
    assert.equal(runInside(image.healthCheck, '1').status, 1);
    const client = createClient({ base: server.base });
    await client.login('root', password);
    await checkPet(server.origin, await addPetWithPhoto(client));
    const { code, stderr } = await server.end('SIGTERM');
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /"level":[4-6]0/);
    assert.ok((await readdir(volume)).includes('menagerie.db'));
  });
});
