import type { BigIntStats } from 'node:fs';
import { access, constants, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { unusable } from '../../domain/failure.ts';
import { DATABASE_NAME } from '../../storage/sqlite/engine/database.ts';

/*
 * The user who runs the service. It need not own the data folder: volumes of Kubernetes (fsGroup) and OpenShift belong
 * to root and a group of this user.
 */

export interface ServiceUser {
  uid: bigint;
  gids: ReadonlySet<bigint>;
}

const ROOT = 0n;
const READ_WRITE = 0o6n;
const ENTER = 0o1n;
const GROUP_BITS = 3n;
const OWNER_BITS = 6n;

/** This user, except for root, who examines the folder of another one. */
export async function serviceUserOf(dataDir: string, folder: BigIntStats): Promise<ServiceUser> {
  const uid = BigInt(process.getuid?.() ?? 0);
  if (uid !== ROOT) {
    const gids = [process.getgid?.() ?? 0, ...(process.getgroups?.() ?? [])];
    return { uid, gids: new Set(gids.map(BigInt)) };
  }
  return { uid: await ownerOf(dataDir, folder), gids: new Set([folder.gid]) };
}

/** The owner of the folder. On a volume of root, it is the one who has created the database there. */
async function ownerOf(dataDir: string, folder: BigIntStats): Promise<bigint> {
  if (folder.uid !== ROOT) return folder.uid;
  return (await statsOf(join(dataDir, DATABASE_NAME)))?.uid ?? ROOT;
}

/** Whether the user can read and write a file, and enter a folder, whoever owns it. */
export function canUse(
  { uid, gids }: ServiceUser,
  stats: Pick<BigIntStats, 'uid' | 'gid' | 'mode' | 'isDirectory'>,
): boolean {
  const needed = stats.isDirectory() ? READ_WRITE | ENTER : READ_WRITE;
  const bits = stats.uid === uid ? OWNER_BITS : gids.has(stats.gid) ? GROUP_BITS : 0n;
  return ((stats.mode >> bits) & needed) === needed;
}

/** Files that another user creates could not be read by the service. */
export async function requireServiceUser(dataDir: string): Promise<void> {
  const folder = await statsOf(dataDir);
  const user = process.getuid?.();
  if (folder === undefined || user === undefined) return;
  const owner = await ownerOf(dataDir, folder);
  if (owner === BigInt(user)) return;
  // The volume may have had another user before, whose files this one can use.
  if (folder.uid === ROOT && BigInt(user) !== ROOT && (await isUsable(dataDir))) return;
  throw unusable(
    `Only the owner of the data folder ${dataDir} can repair it (user ID ${owner}; this is ${user}). Run the command as that user, such as with sudo -u.`,
  );
}

function isUsable(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

function statsOf(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(() => undefined);
}
