import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A host with its own network, whose link can be cut. */
export interface SeparateHost {
  address: string;
  /** The command that runs a program there. */
  within: readonly string[];
  /** Packets to and from it are lost, without an error at either end. */
  cutOff(): Promise<void>;
  reconnect(): Promise<void>;
}

export interface SeparateHosts {
  hosts: readonly SeparateHost[];
  /** Call it after the programs on them have ended. */
  remove(): Promise<void>;
}

/**
 * Hosts on one network with this process: namespaces of Linux with a bridge between them. It needs root.
 *
 * @returns undefined where network namespaces are not possible
 */
export async function separateHosts(count: number): Promise<SeparateHosts | undefined> {
  // Several runs may use the same machine.
  const id = (process.pid % 60_000).toString(36);
  const [bridge, network] = [`mng${id}`, `10.${100 + (process.pid % 100)}.${process.pid % 250}`];
  const isPossible = await ip(`link add ${bridge} type bridge`).then(
    () => true,
    () => false,
  );
  if (!isPossible) return undefined;
  await ip(`address add ${network}.1/24 dev ${bridge}`);
  await ip(`link set ${bridge} up`);
  const names = Array.from({ length: count }, (_, index) => `${bridge}-${index + 1}`);
  const hosts = await Promise.all(names.map((name, index) => addHost(name, bridge, `${network}.${11 + index}`)));
  const remove = async () => {
    // Deletes their links as well.
    for (const name of names) await ip(`netns delete ${name}`);
    await ip(`link delete ${bridge}`);
  };
  if (await areConnected(hosts)) return { hosts, remove };
  await remove();
  return undefined;
}

/** A firewall of the machine may drop what passes the bridge. */
async function areConnected([first, second]: readonly SeparateHost[]): Promise<boolean> {
  const [file = '', ...args] = first?.within ?? [];
  // No program listens there: the answer is a refusal, which takes no time.
  const probe = run(file, [...args, 'bash', '-c', `exec 3<>/dev/tcp/${second?.address}/9`], { timeout: 5000 });
  return probe.then(
    () => true,
    ({ killed }: { killed?: boolean }) => killed !== true,
  );
}

async function addHost(name: string, bridge: string, address: string): Promise<SeparateHost> {
  await ip(`netns add ${name}`);
  await ip(`link add ${name} type veth peer name eth0 netns ${name}`);
  await ip(`link set ${name} master ${bridge}`);
  await ip(`link set ${name} up`);
  await ip(`-n ${name} address add ${address}/24 dev eth0`);
  await ip(`-n ${name} link set eth0 up`);
  await ip(`-n ${name} link set lo up`);
  return {
    address,
    within: ['ip', 'netns', 'exec', name],
    cutOff: () => ip(`link set ${name} nomaster`),
    reconnect: () => ip(`link set ${name} master ${bridge}`),
  };
}

async function ip(command: string): Promise<void> {
  await run('ip', command.split(' '));
}
