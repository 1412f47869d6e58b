import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BUNDLED_FILE } from './bundled-licenses.ts';

const ROOT = join(import.meta.dirname, '..');

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  licenses?: readonly unknown[];
}

interface Sbom {
  metadata: { component: Component & { type: string } };
  components: readonly Component[];
  dependencies: readonly { ref: string; dependsOn?: readonly string[] }[];
}

/**
 * The software bill of materials of the package (CycloneDX): what it installs, on all platforms, and what is bundled
 * into the service, the web application and the API page.
 *
 * @param installed the names of the packages that it depends on
 */
export async function createSbom(name: string, installed: readonly string[]): Promise<object> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { stdout } = await promisify(execFile)('npm', args, {
    cwd: ROOT,
    maxBuffer: 2 ** 26,
    shell: process.platform === 'win32',
  });
  const sbom = JSON.parse(stdout) as Sbom;
  const bundled = await bundledPackages();
  const installedRefs = refsBelow(sbom, installed);
  const isIncluded = (component: Component) =>
    installedRefs.has(component['bom-ref']) || bundled.has(`${component.name}@${component.version}`);
  const components = await Promise.all(sbom.components.filter(isIncluded).map(withLicenses));
  const root = sbom.metadata.component;
  const kept = new Set([root, ...components].map((component) => component['bom-ref']));
  const dependencies = sbom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
  // npm takes the name of the folder.
  const metadata = { ...sbom.metadata, component: { ...root, type: 'application', name } };
  return { ...sbom, metadata, components, dependencies };
}

/** npm does not read the field `licenses` of old packages. */
async function withLicenses(component: Component): Promise<Component> {
  if (component.licenses !== undefined) return component;
  const text = await readFile(join(ROOT, 'node_modules', component.name, 'package.json'), 'utf8');
  const { licenses = [] } = JSON.parse(text) as { licenses?: readonly { type: string }[] };
  return { ...component, licenses: licenses.map(({ type }) => ({ license: { id: type } })) };
}

/** The packages with these names, and all that they depend on. */
function refsBelow({ components, dependencies }: Sbom, names: readonly string[]): ReadonlySet<string> {
  const below = new Map(dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const refs = new Set(components.filter(({ name }) => names.includes(name)).map((component) => component['bom-ref']));
  // A set iterates over what is added meanwhile.
  for (const ref of refs) for (const other of below.get(ref) ?? []) refs.add(other);
  return refs;
}

async function bundledPackages(): Promise<ReadonlySet<string>> {
  const files = [join(ROOT, 'bundle/licenses.json'), join(ROOT, 'dist/web', BUNDLED_FILE)];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const packages = texts.flatMap((text) => JSON.parse(text) as readonly { name: string; version: string }[]);
  return new Set(packages.map(({ name, version }) => `${name}@${version}`));
}
