import { constants } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startScript } from './processes.ts';
import type { Progress } from './progress.ts';
import { runScript } from './servers.ts';

export type Catalogues = ReturnType<typeof createCatalogues>;

/** Data folders, each built once in a run by the code of a checkout. Servers use copies. */
export function createCatalogues(root: string, progress: Progress, checkout: string) {
  const built = new Map<number, Promise<string>>();
  const copies = new Map<string, Promise<string>>();
  let textBytes = 200;

  async function build(pets: number): Promise<string> {
    const folder = join(root, `pets-${pets}`);
    const builder = startScript(join(checkout, 'bench/catalogue-builder.ts'), [folder, String(pets)], {
      cores: 'all cores',
    });
    builder.onLine(/^PROGRESS (\d+)$/, (done) => progress.say(`adding ${number(done)} of ${number(pets)} pets`));
    const { lastTextBytes } = await builder.result<{ lastTextBytes: number }>();
    if (lastTextBytes > 0) textBytes = lastTextBytes;
    return folder;
  }

  function builtOf(pets: number): Promise<string> {
    const folder = built.get(pets) ?? build(pets);
    built.set(pets, folder);
    return folder;
  }

  async function copy(pets: number, purpose: string): Promise<string> {
    const to = join(root, `pets-${pets}-${purpose}`);
    await cp(await builtOf(pets), to, { recursive: true, mode: constants.COPYFILE_FICLONE });
    return to;
  }

  function copyOf(pets: number, purpose: string): Promise<string> {
    const key = `${pets} ${purpose}`;
    const folder = copies.get(key) ?? copy(pets, purpose);
    copies.set(key, folder);
    return folder;
  }

  let photos: Promise<string> | undefined;

  return {
    /** A folder with this number of pets, for measurements that only read. */
    readOnly: (pets: number) => copyOf(pets, 'read'),
    /** A separate copy for one purpose, which may change it. */
    own: copyOf,
    /** Length of the text of a pet. Known after the first catalogue was built. */
    textBytes: () => textBytes,
    /** A folder with this number of 12-megapixel photos. */
    photos: (count: number) => {
      photos ??= buildPhotos(count);
      return photos;
    },
  };

  async function buildPhotos(count: number): Promise<string> {
    progress.say('making photos');
    const folder = join(root, 'photos');
    await mkdir(folder);
    await runScript('bench/photo-builder.ts', [folder, String(count)], 'all cores');
    return folder;
  }
}

function number(value: string | number): string {
  return Number(value).toLocaleString('en');
}
