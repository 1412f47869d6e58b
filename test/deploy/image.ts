import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/postgres-folder.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

/*
 * Builds the file tree of the Dockerfile without a container engine, and runs programs in it. For the base image, this
 * machine's /usr and /etc are mounted, with the Node.js of the checkout. Needs root on Linux.
 */

const ROOT = resolve(import.meta.dirname, '../..');

const run = promisify(execFile);

/** A stage of the Dockerfile; the last one is the image. */
export interface Stage {
  /** Its root folder. */
  root: string;
  workdir: string;
  environment: Record<string, string>;
  /** `1000:1000` */
  user: string;
  entrypoint: readonly string[];
  command: readonly string[];
  healthCheck: readonly string[];
  /** Folders of this machine, and their places while the stage is built. */
  mounts: (readonly [folder: string, place: string])[];
}

/** The packages that the checkout has installed, by the same lock file; they are mounted. */
const INSTALLS_ALL = /^npm ci(?!.* --omit)/;

export async function buildImage(t: Lifetime): Promise<Stage> {
  const folder = await temporaryFolder(t);
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { name, text } of instructionsOf(await readFile(join(ROOT, 'Dockerfile'), 'utf8'))) {
    if (name === 'FROM') {
      stage = await newStage(join(folder, String(stages.size)));
      stages.set(/ AS (\S+)$/.exec(text)?.[1] ?? '', stage);
    } else if (stage !== undefined) await apply(stage, name, text, stages);
  }
  return stage ?? Promise.reject(new Error('The Dockerfile has no stage.'));
}

/** An instruction of the Dockerfile. */
export interface Instruction {
  name: string;
  text: string;
}

export function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line));
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => {
      const [name = '', ...rest] = line.split(' ');
      return { name, text: rest.join(' ') };
    });
}

/** Variables by which npm reaches its registry from this machine, and its home with its configuration and cache. */
function networkVariables(): NodeJS.ProcessEnv {
  const names = /^(?:https?_proxy|no_proxy|ssl_cert_\w+|node_extra_ca_certs)$/i;
  return {
    HOME: '/root',
    npm_config_prefer_offline: 'true',
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name))),
  };
}

/** The variables of an `ENV` instruction. */
export function variablesOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));
}

async function newStage(root: string): Promise<Stage> {
  for (const name of ['usr', 'etc', 'dev', 'proc', 'opt', 'root', 'tmp'])
    await mkdir(join(root, name), { recursive: true });
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) await symlink(`usr/${name}`, join(root, name));
  await chmod(join(root, 'tmp'), 0o1777);
  await writeFile(join(root, 'opt/node'), '');
  return { root, workdir: '/', environment: {}, user: '0:0', entrypoint: [], command: [], healthCheck: [], mounts: [] };
}

async function apply(stage: Stage, name: string, text: string, stages: ReadonlyMap<string, Stage>): Promise<void> {
  switch (name) {
    case 'ENV':
      Object.assign(stage.environment, variablesOf(text));
      break;
    case 'WORKDIR':
      stage.workdir = text;
      await mkdir(join(stage.root, text), { recursive: true });
      break;
    case 'USER':
      stage.user = text === 'root' ? '0:0' : text;
      break;
    case 'COPY':
      await copy(stage, text, stages);
      break;
    case 'RUN': {
      if (INSTALLS_ALL.test(text)) {
        const place = join(stage.workdir, 'node_modules');
        await mkdir(join(stage.root, place));
        stage.mounts.push([join(ROOT, 'node_modules'), place]);
        break;
      }
      const script = await writeScript(stage, { mounts: [[homedir(), '/root'], ...stage.mounts] });
      const env = { ...networkVariables(), ...stage.environment, MENAGERIE_PORT: String(await freePort()) };
      await run('sh', [script, 'sh', '-c', text], { env, maxBuffer: 64 * 1024 * 1024 });
      break;
    }
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(text) as string[];
      break;
    case 'CMD':
      stage.command = JSON.parse(text) as string[];
      break;
    case 'HEALTHCHECK':
      stage.healthCheck = JSON.parse(text.slice(text.indexOf('['))) as string[];
      break;
    case 'ARG':
    case 'LABEL':
    case 'VOLUME':
    case 'EXPOSE':
    case 'STOPSIGNAL':
      break;
    default:
      throw new Error(`Unsupported instruction: ${name}.`);
  }
}

/** Files of the checkout belong to root afterwards, and those of another stage keep their owner. */
async function copy({ root, workdir }: Stage, text: string, stages: ReadonlyMap<string, Stage>): Promise<void> {
  const words = text.split(' ');
  const from = words[0]?.startsWith('--from=') ? stages.get(words.shift()?.slice('--from='.length) ?? '') : undefined;
  const place = words.pop() ?? '';
  const target = resolve(join(root, workdir), place.startsWith('/') ? join(root, place) : place);
  for (const source of words) {
    const path = join(from?.root ?? ROOT, source);
    const isFolder = (await stat(path)).isDirectory();
    await mkdir(isFolder || place.endsWith('/') ? target : resolve(target, '..'), { recursive: true });
    const flags = from === undefined ? ['-a', '--no-preserve=ownership'] : ['-a'];
    await run('cp', [...flags, isFolder ? `${path}/.` : path, target]);
  }
}

export interface RunOptions {
  /** `1000:1000`; the user of the stage by default. */
  user?: string;
  isReadOnly?: boolean;
  /** Folders of this machine, and their places in the container. */
  mounts?: readonly (readonly [folder: string, place: string])[];
  /** Options of temporary file systems, by their places. */
  tmpfs?: Readonly<Record<string, string>>;
  /** The program, to which the arguments of the script are passed; by default, the first of them is the program. */
  program?: readonly string[];
}

/**
 * Writes a script that runs its arguments in the stage, without privileges unless the user is root. Returns its path.
 */
export async function writeScript(
  { root, workdir, user: ownUser }: Stage,
  { user = ownUser, isReadOnly = false, mounts = [], tmpfs = {}, program = [] }: RunOptions,
): Promise<string> {
  const [uid, gid] = user.split(':');
  const unprivileged = uid === '0' ? '' : '--inh-caps=-all --bounding-set=-all --no-new-privs';
  const inside = [
    'set -e',
    `mount --bind ${root} ${root}`,
    ...['usr', 'etc'].map((name) => `mount --bind -o ro /${name} ${root}/${name}`),
    ...['dev', 'proc'].map((name) => `mount --rbind /${name} ${root}/${name}`),
    `mount --bind -o ro ${process.execPath} ${root}/opt/node`,
    ...mounts.map(([folder, place]) => `mount --bind ${folder} ${root}${place}`),
    ...Object.entries(tmpfs).map(([place, options]) => `mount -t tmpfs -o ${options} tmpfs ${root}${place}`),
    ...(isReadOnly ? [`mount -o remount,bind,ro ${root}`] : []),
    'export PATH=/opt:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
    `exec chroot ${root} setpriv --reuid=${uid} --regid=${gid} --clear-groups ${unprivileged} ` +
      `sh -c 'cd ${workdir} && exec "$@"' sh ${program.join(' ')} "$@"`,
  ];
  const path = `${root}.${randomUUID()}.sh`;
  await writeFile(
    path,
    `exec unshare --mount sh -c '\n${inside.join('\n').replaceAll("'", String.raw`'\''`)}\n' sh "$@"\n`,
  );
  return path;
}
