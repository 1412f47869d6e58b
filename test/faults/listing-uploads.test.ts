import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { uploadFiles } from '../../src/features/listings/uploads/uploader.ts';
import { readUploadUrl } from '../../src/features/listings/uploads/upload-url.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { PASSWORD_IN_URL, startUploadServers, USER } from '../support/upload-servers.ts';
import { until } from '../support/until.ts';

/* Uploads to real servers for FTP, FTPS and SFTP. */

const servers = await startUploadServers({ after });
const options = { skip: 'missing' in servers ? servers.missing : false };
const login = `${USER}:${PASSWORD_IN_URL}`;

function urls() {
  assert.ok(!('missing' in servers));
  const { ftpPort, sftpPort, sshPort, sshUser, hostKey, keyFile, caFile } = servers;
  return {
    ftp: `ftp://${login}@127.0.0.1:${ftpPort}/import/`,
    ftps: `ftps://${login}@localhost:${ftpPort}/import/?ca-file=${caFile}`,
    'SFTP with a password': `sftp://${login}@127.0.0.1:${sftpPort}/import/?host-key=${hostKey}`,
    'SFTP of OpenSSH with a key': `sftp://${sshUser}@127.0.0.1:${sshPort}/import/?host-key=${hostKey}&key-file=${keyFile}`,
  };
}

async function send(url: string, name: string, text: string): Promise<void> {
  const target = readUploadUrl(url);
  assert.ok(typeof target === 'object');
  await uploadFiles(target, [{ name, text }], { timeoutMs: 10_000, signal: new AbortController().signal });
}

void describe('upload', options, () => {
  for (const protocol of ['ftp', 'ftps', 'SFTP with a password', 'SFTP of OpenSSH with a key'] as const)
    void it(`over ${protocol}: replaces the file, and leaves no part of it`, async () => {
      assert.ok(!('missing' in servers));
      const name = `${protocol.replaceAll(' ', '-')}.csv`;
      for (const text of ['"1","Zoë"\r\n'.repeat(20_000), '']) {
        await send(urls()[protocol], name, text);
        const files = await servers.filesIn('import');
        assert.equal(files[name], text);
        assert.deepEqual(
          Object.keys(files).filter((each) => each.includes('part')),
          [],
        );
      }
    });

  void it('over SFTP to a server that refuses to rename: replaces the file under its name', async () => {
    assert.ok(!('missing' in servers));
    const { sshPort, sshPortWithoutRename } = servers;
    const url = urls()['SFTP of OpenSSH with a key'];
    await send(url, 'not-renamed.csv', 'old');
    await send(url.replace(`:${sshPort}/`, `:${sshPortWithoutRename}/`), 'not-renamed.csv', 'new');
    const files = await servers.filesIn('import');
    assert.equal(files['not-renamed.csv'], 'new');
    assert.equal(files['.not-renamed.csv.part'], undefined);
  });

  void it('is refused with a wrong password, certificate or host key, before anything is sent', async () => {
    const { ftp, ftps, 'SFTP with a password': sftp } = urls();
    await assert.rejects(send(ftp.replace(PASSWORD_IN_URL, 'wrong'), 'x.csv', 'x'), /530/);
    await assert.rejects(send(ftps.replace(/\?.*/, ''), 'x.csv', 'x'), /certificate/);
    await assert.rejects(send(ftps.replace('localhost', '127.0.0.1'), 'x.csv', 'x'), /IP|certificate/);
    const otherKey = sftp.replace(/host-key=[^&]+/, `host-key=SHA256:${'A'.repeat(43)}`);
    await assert.rejects(send(otherKey, 'x.csv', 'x'), /The server has another host key than expected: SHA256:/);
    await assert.rejects(send(sftp.replace(PASSWORD_IN_URL, 'wrong'), 'x.csv', 'x'), /authentication/);
    assert.ok(!('missing' in servers));
    assert.equal((await servers.filesIn('import'))['x.csv'], undefined);
  });

  void it('is aborted when the service stops', async () => {
    const target = readUploadUrl(urls().ftp);
    assert.ok(typeof target === 'object');
    const signal = AbortSignal.abort();
    await assert.rejects(uploadFiles(target, [{ name: 'x.csv', text: 'x' }], { timeoutMs: 10_000, signal }));
  });
});

void it('a service uploads after changes, and an adopted pet leaves the file', options, async (t) => {
  assert.ok(!('missing' in servers));
  const upload = urls().ftp.replace('/import/', '/other/XX123.csv');
  const flags = ['--empty', '--public-url', 'https://pets.example.org', '--rescuegroups-upload-url', upload];
  const { call } = await startSecuredService(t, { flags });
  const headers = { ...bearer(await logIn(call, 'root')), host: 'pets.example.org' };
  await call('POST', 'pet', { headers, json: { id: 5, name: 'Rex', status: 'available' } });
  await call('PUT', 'pet/5/profile', { headers, json: { species: 'dog' } });
  assert.deepEqual(await servers.filesIn('other'), {}, 'a site that is off is not emptied');
  await call('PATCH', 'admin/listings/rescuegroups', { headers, json: { on: true } });
  const file = async () => (await servers.filesIn('other'))['XX123.csv'] ?? '';
  await until('the pet is uploaded', async () => (await file()).includes('"Rex"'));
  await call('PATCH', 'pet/5', { headers, json: { status: 'sold' } });
  await until('the pet has left', async () => !(await file()).includes('"Rex"'));
  assert.match(await file(), /^"externalID",[^\n]+\n$/);
  await until('the upload is recorded', async () => {
    const { text } = await call('GET', 'admin/listings', { headers });
    assert.ok(!text.includes('pass') && text.includes('"uploadTo":"ftp://127.0.0.1/other"'));
    return /"site":"rescuegroups"[^}]*"sentPets":0/.test(text);
  });
});

void it(
  'a server whose host key has changed gets neither password nor files, and the report says so',
  options,
  async (t) => {
    assert.ok(!('missing' in servers));
    const { hostKey, sftpPort } = servers;
    // The key of the server when the setting was written.
    const former = encodeURIComponent(`SHA256:${'B'.repeat(43)}`);
    const upload = `sftp://${login}@127.0.0.1:${sftpPort}/other/changed.csv?host-key=${former}`;
    const flags = ['--empty', '--public-url', 'https://pets.example.org', '--rescuegroups-upload-url', upload];
    const { call } = await startSecuredService(t, { flags });
    const headers = { ...bearer(await logIn(call, 'root')), host: 'pets.example.org' };
    await call('PATCH', 'admin/listings/rescuegroups', { headers, json: { on: true } });
    await call('POST', 'pet', { headers, json: { id: 5, name: 'Rex', status: 'available' } });
    await call('PUT', 'pet/5/profile', { headers, json: { species: 'dog' } });
    const found = decodeURIComponent(hostKey);
    await until('the changed key is reported', async () => {
      const { text } = await call('GET', 'admin/listings', { headers });
      return text.includes(`The server has another host key than expected: ${found}.`);
    });
    assert.equal((await servers.filesIn('other'))['changed.csv'], undefined);
  },
);
