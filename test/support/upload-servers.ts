import { execFile } from 'node:child_process';
import { chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackedPackages } from './debian-packages.ts';
import type { Lifetime } from './lifetime.ts';
import { freePort, serverFolder } from './postgres-folder.ts';
import { runServer } from './postgres-process.ts';

/* ProFTPD and OpenSSH from Debian's packages, which receive uploads without being installed. */

const run = promisify(execFile);

/** The user `daemon` of Debian: neither server needs more rights than the owner of the files. */
const DAEMON = { uid: 1, gid: 1 };
const isRoot = process.getuid?.() === 0;
const RUN_AS = isRoot ? DAEMON : {};

export const USER = 'shelter';
export const PASSWORD = 'pass%word';
export const PASSWORD_IN_URL = 'pass%25word';

interface Servers {
  ftpPort: number;
  /** SFTP of ProFTPD, with the password. */
  sftpPort: number;
  /** OpenSSH, with a key. */
  sshPort: number;
  /** The same, but it refuses to rename files. */
  sshPortWithoutRename: number;
  sshUser: string;
  /** The fingerprint of both servers for SFTP, encoded for a URL. */
  hostKey: string;
  keyFile: string;
  caFile: string;
  /** The names and texts of the files in a folder of the user. */
  filesIn(folder: string): Promise<Readonly<Record<string, string>>>;
}

/** The servers, or the reason why they are not available. */
export async function startUploadServers(t: Lifetime): Promise<Servers | { missing: string }> {
  if (process.platform !== 'linux') return { missing: 'Debian packages need Linux' };
  let root: string;
  try {
    root = await unpackedPackages('upload-servers', findPackages);
  } catch (error) {
    return { missing: `apt-get could not fetch ProFTPD and OpenSSH: ${String(error)}` };
  }
  const folder = await serverFolder(RUN_AS);
  t.after(() => rm(folder, { recursive: true, force: true }));
  const ports = {
    ftpPort: await freePort(),
    sftpPort: await freePort(),
    sshPort: await freePort(),
    sshPortWithoutRename: await freePort(),
  };
  await createKeys(folder);
  await configure(folder, root, ports);
  for (const name of await readdir(folder)) await giveToServers(join(folder, name));
  for (const sub of ['home/import', 'home/other']) await giveToServers(join(folder, sub));
  await startPrograms(t, folder, root);
  const { stdout } = await run('ssh-keygen', ['-lf', join(folder, 'host.pub')]);
  return {
    ...ports,
    sshUser: isRoot ? 'daemon' : userInfo().username,
    hostKey: encodeURIComponent(stdout.split(' ')[1] ?? ''),
    keyFile: join(folder, 'client'),
    caFile: join(folder, 'tls.crt'),
    async filesIn(sub) {
      const names = await readdir(join(folder, 'home', sub));
      // A file may be renamed meanwhile.
      const read = (name: string) => readFile(join(folder, 'home', sub, name), 'utf8').catch(() => undefined);
      const texts = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
      return Object.fromEntries(texts.filter(([, text]) => text !== undefined)) as Record<string, string>;
    },
  };
}

async function giveToServers(path: string): Promise<void> {
  if (isRoot) await chown(path, DAEMON.uid, DAEMON.gid);
}

async function findPackages(): Promise<string[]> {
  const programs = ['proftpd-core', 'proftpd-mod-crypto', 'openssh-server'];
  const { stdout } = await run('apt-cache', ['depends', ...programs]);
  const libraries = [...stdout.matchAll(/Depends: (lib(?:hiredis|memcached|memcachedutil|pcre2-posix|wrap)\S*)/g)];
  const hashkit = [
    ...(await run('apt-cache', ['search', '--names-only', '^libhashkit2(t64)?$'])).stdout.matchAll(/^\S+/gm),
  ];
  return [...programs, ...new Set([...libraries.map(([, name = '']) => name), ...hashkit.map(([name]) => name)])];
}

async function createKeys(folder: string): Promise<void> {
  const at = (name: string) => join(folder, name);
  await Promise.all([mkdir(at('home/import'), { recursive: true }), mkdir(at('home/other'), { recursive: true })]);
  for (const name of ['host', 'client']) await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', at('tls.key'), '-out', at('tls.crt')];
  await run('openssl', ['req', '-x509', ...key, ...subject]);
  const { stdout: hash } = await run('openssl', ['passwd', '-6', PASSWORD]);
  const { uid = process.getuid?.(), gid = process.getgid?.() } = RUN_AS as Partial<typeof DAEMON>;
  await writeFile(at('users'), `${USER}:${hash.trim()}:${uid}:${gid}::${at('home')}:/bin/false\n`, { mode: 0o600 });
}

async function configure(
  folder: string,
  root: string,
  ports: Pick<Servers, 'ftpPort' | 'sftpPort' | 'sshPort' | 'sshPortWithoutRename'>,
): Promise<void> {
  const { ftpPort, sftpPort, sshPort, sshPortWithoutRename } = ports;
  const at = (name: string) => join(folder, name);
  const owner = isRoot ? 'daemon' : userInfo().username;
  const group = isRoot ? 'daemon' : (await run('id', ['-gn'])).stdout.trim();
  const ftp = `
    ServerType standalone
    DefaultServer on
    DefaultAddress 127.0.0.1
    Port ${ftpPort}
    User ${owner}
    Group ${group}
    ModulePath ${join(root, 'usr/lib/proftpd')}
    LoadModule mod_tls.c
    LoadModule mod_sftp.c
    UseReverseDNS off
    RequireValidShell off
    AuthOrder mod_auth_file.c
    AuthUserFile ${at('users')}
    PidFile ${at('ftp.pid')}
    ScoreboardFile ${at('scoreboard')}
    DelayEngine off
    AllowOverwrite on
    WtmpLog off
    TransferLog none
    TLSEngine on
    TLSOptions NoSessionReuseRequired
    TLSRSACertificateFile ${at('tls.crt')}
    TLSRSACertificateKeyFile ${at('tls.key')}
    <VirtualHost 127.0.0.1>
      Port ${sftpPort}
      TLSEngine off
      SFTPEngine on
      SFTPHostKey ${at('host')}
      SFTPAuthMethods password
      RequireValidShell off
      AuthUserFile ${at('users')}
      AllowOverwrite on
    </VirtualHost>
  `;
  const ssh = `
    Port ${sshPort}
    Port ${sshPortWithoutRename}
    ListenAddress 127.0.0.1
    HostKey ${at('host')}
    PidFile none
    UsePAM yes
    StrictModes no
    PasswordAuthentication no
    KbdInteractiveAuthentication no
    AuthorizedKeysFile ${at('client.pub')}
    Subsystem sftp internal-sftp
    Match LocalPort ${sshPort}
      ForceCommand internal-sftp -d ${at('home')}
    Match LocalPort ${sshPortWithoutRename}
      ForceCommand internal-sftp -d ${at('home')} -P rename,posix-rename
  `;
  await writeFile(at('ftp.conf'), ftp);
  await writeFile(at('sshd.conf'), ssh);
}

async function startPrograms(t: Lifetime, folder: string, root: string): Promise<void> {
  const libraries = [join(root, 'usr/lib/x86_64-linux-gnu'), join(root, 'lib/x86_64-linux-gnu')];
  for (const usrLib of await readdir(join(root, 'usr/lib'))) libraries.push(join(root, 'usr/lib', usrLib));
  const common = { folder, runAs: RUN_AS, environment: { LD_LIBRARY_PATH: libraries.join(':') } };
  const programs = [
    { file: join(root, 'usr/sbin/proftpd'), args: ['-n', '-c', join(folder, 'ftp.conf')], ready: 'STARTUP' },
    { file: join(root, 'usr/sbin/sshd'), args: ['-D', '-e', '-f', join(folder, 'sshd.conf')], ready: 'listening' },
  ];
  for (const program of programs) {
    const server = await runServer({ ...common, ...program }, { text: '' });
    t.after(() => server.kill());
  }
}
