import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/server/configuration/config.ts';
import { explainUnknownNames } from '../../src/server/configuration/setting-sources.ts';
import { temporaryFolder } from '../support/service.ts';
import { asRecord, asText, environmentOfImage, type Service } from './compose-files.ts';
import { readYaml, type Yaml } from './read-yaml.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TEXT = readFileSync(join(ROOT, 'deploy/kubernetes/menagerie.yaml'), 'utf8');

const listOf = (value: Yaml) => ((value ?? []) as readonly Yaml[]).map(asRecord);

/** The objects of the file, by kind. */
async function objects(): Promise<Readonly<Record<string, Service>>> {
  const read = await Promise.all(TEXT.split('\n---\n').map((text) => readYaml(text)));
  return Object.fromEntries(read.map(asRecord).map((object) => [asText(object['kind']), object]));
}

async function deployment() {
  const { Deployment } = await objects();
  const spec = asRecord(Deployment?.['spec']);
  const template = asRecord(spec['template']);
  const pod = asRecord(template['spec']);
  const [container] = listOf(pod['containers']);
  assert.ok(container);
  return { spec, labels: asRecord(asRecord(template['metadata'])['labels']), pod, container };
}

void describe('manifest of Kubernetes', () => {
  void it('parts: refer to each other', async () => {
    const all = await objects();
    const { spec, labels, pod, container } = await deployment();
    assert.deepEqual(Object.keys(all), ['PersistentVolumeClaim', 'Service', 'Deployment']);
    assert.deepEqual(asRecord(asRecord(spec['selector'])['matchLabels']), labels);
    const service = asRecord(all['Service']?.['spec']);
    assert.deepEqual(service['selector'], labels);
    const ports = listOf(container['ports']).map(({ name }) => name);
    assert.ok(ports.includes(listOf(service['ports'])[0]?.['targetPort']));
    const volumes = listOf(pod['volumes']);
    const mounted = listOf(container['volumeMounts']).map(({ name }) => name);
    assert.deepEqual(
      volumes.map(({ name }) => name),
      mounted,
    );
    const claim = volumes.map((volume) => asRecord(volume['persistentVolumeClaim'])['claimName']).find(Boolean);
    assert.equal(claim, asRecord(all['PersistentVolumeClaim']?.['metadata'])['name']);
    for (const [name, path] of [
      ['startupProbe', '/livez'],
      ['livenessProbe', '/livez'],
      ['readinessProbe', '/readyz'],
    ] as const) {
      const probe = asRecord(asRecord(container[name])['httpGet']);
      assert.deepEqual([probe['path'], ports.includes(probe['port'])], [path, true]);
    }
  });

  void it('pod: runs as the user of the image, without privileges, on a read-only file system', async () => {
    const { pod, container } = await deployment();
    const user = /^USER (\d+):(\d+)$/gm.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
    const { runAsUser, runAsGroup, fsGroup, runAsNonRoot } = asRecord(pod['securityContext']);
    assert.deepEqual([runAsUser, runAsGroup, fsGroup, runAsNonRoot], [user?.[1], user?.[2], user?.[2], 'true']);
    const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = asRecord(container['securityContext']);
    assert.deepEqual([allowPrivilegeEscalation, readOnlyRootFilesystem], ['false', 'true']);
    assert.deepEqual(asRecord(capabilities)['drop'], ['ALL']);
  });

  void it('settings: are valid, also beside the variables of its Service, and time to stop is enough', async (t) => {
    const { pod, container } = await deployment();
    const own = listOf(container['env']).map(({ name, value }) => [asText(name), asText(value)]);
    const environment: Record<string, string> = {
      ...environmentOfImage(),
      ...(Object.fromEntries(own) as Record<string, string>),
      MENAGERIE_PORT: 'tcp://10.96.3.7:80',
      MENAGERIE_SERVICE_PORT_HTTP: '80',
    };
    const secret = join(await temporaryFolder(t), 'database-url');
    await writeFile(secret, 'postgres://menagerie:PASSWORD@postgres:5432/menagerie\n');
    environment['MENAGERIE_DATABASE_URL_FILE'] = secret;
    assert.deepEqual(explainUnknownNames(environment), []);
    const result = readConfig([], environment);
    assert.ok('config' in result, JSON.stringify(result));
    const { config } = result;
    assert.deepEqual(
      [String(config.port), config.http.access],
      [listOf(container['ports'])[0]?.['containerPort'], 'secured'],
    );
    const neededMs = config.drainMs + config.stopTimeoutMs + 4000;
    assert.ok(Number(asText(pod['terminationGracePeriodSeconds'])) * 1000 > neededMs);
  });
});
