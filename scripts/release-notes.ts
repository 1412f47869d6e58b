import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/* Prints the section of the changelog for a tag: `npm run --silent release-notes -- v0.1.0`. */

/** @throws Error if the checkout in `folder` is not ready for the release of this tag */
export async function releaseNotes(tag: string, folder: string): Promise<string> {
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json has the version ${version}.`);
  const dockerfile = await read('Dockerfile');
  if (!dockerfile.includes(`\nARG VERSION=${version}\n`))
    throw new Error(`Dockerfile needs the line "ARG VERSION=${version}".`);
  const sections = (await read('CHANGELOG.md')).split(/^## /m);
  const [title = '', ...lines] = sections.find((each) => each.startsWith(`${version} `))?.split('\n') ?? [];
  if (!/ - \d{4}-\d{2}-\d{2}$/.test(title))
    throw new Error(`CHANGELOG.md needs the section "## ${version} - YYYY-MM-DD", with the date of the release.`);
  return `${lines.join('\n').trim()}\n`;
}

if (import.meta.main) {
  const [tag = ''] = process.argv.slice(2);
  process.stdout.write(await releaseNotes(tag, join(import.meta.dirname, '..')));
}
