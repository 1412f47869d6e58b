import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { bearer, createKey, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { freePort } from '../support/postgres-folder.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');
const RULES = join(DEPLOY, 'prometheus/menagerie.rules.yml');
const TESTS = join(import.meta.dirname, 'menagerie.rules.test.yml');
const rules = readFileSync(RULES, 'utf8');
const run = promisify(execFile);

const isInstalled = ['prometheus', 'promtool'].every((name) => spawnSync(name, ['--version']).error === undefined);
const skip = !isInstalled && 'prometheus is not installed';

interface Rule {
  name: string;
  query: string;
  health: string;
  alerts: readonly { state: string; labels: Record<string, string>; annotations: Record<string, string> }[];
}

interface Dashboard {
  panels: readonly { targets: readonly { expr: string }[] }[];
}

const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/menagerie.json'), 'utf8')) as Dashboard;
const queriesOfPanels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Calls the API of Prometheus. */
type Read = <Data>(path: string) => Promise<Data>;

/** Replaces texts that must occur. */
function replace(text: string, replacements: readonly (readonly [string, string])[]): string {
  return replacements.reduce((result, [from, to]) => {
    assert.ok(result.includes(from), from);
    return result.replace(from, () => to);
  }, text);
}

/** The configuration of deploy/, with these targets and this key, and without delays. */
async function writeConfiguration(t: Lifetime, key: string, targets: readonly string[]): Promise<string> {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'key'), `${key}\n`);
  const config = replace(readFileSync(join(DEPLOY, 'prometheus/prometheus.yml'), 'utf8'), [
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
    ['evaluation_interval: 15s', 'evaluation_interval: 1s'],
    ['/etc/prometheus/menagerie-key', 'key'],
    [`['pets1:8080', 'pets2:8080']`, JSON.stringify(targets)],
  ]);
  await writeFile(join(folder, 'prometheus.yml'), config);
  await writeFile(join(folder, 'menagerie.rules.yml'), rules.replaceAll(/^( +for): \w+$/gm, '$1: 0s'));
  return folder;
}

async function startPrometheus(t: Lifetime, folder: string): Promise<Read> {
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const child = spawn('prometheus', [...flags, `--web.listen-address=${address}`], { stdio: 'ignore' });
  t.after(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const ready = () => fetch(`http://${address}/-/ready`).catch(() => undefined);
  await until('Prometheus is ready', async () => (await ready())?.ok === true);
  return async <Data>(path: string): Promise<Data> => {
    const response = (await (await fetch(`http://${address}/api/v1/${path}`)).json()) as { error?: string; data: Data };
    assert.equal(response.error, undefined, path);
    return response.data;
  };
}

/** A node on SQLite, which Prometheus reads with a key, and one on PostgreSQL with a listener for metrics. */
async function startNodes(t: Lifetime) {
  const sqlite = await startSecuredService(t, { nodes: 1, flags: ['--backup-to', await temporaryFolder(t)] });
  const headers = bearer(await logIn(sqlite.call, 'root'));
  const dataDir = await newSecuredFolder({ onPostgres: true });
  t.after(async () => {
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const address = `127.0.0.1:${await freePort()}`;
  // Nothing is sent, but its queue has metrics.
  const mail = ['--smtp-url', 'smtp://127.0.0.1:1', '--mail-from', 'pets@example.org'];
  const flags = ['--metrics-listen', address, '--public-url', 'http://pets.example.org', ...mail];
  const postgres = await startSecuredService(t, { nodes: 1, dataDir, flags });
  const { key } = await createKey(sqlite.call, await logIn(sqlite.call, 'root'), ['read:metrics']);
  const add = () => sqlite.call('POST', 'pet', { headers, json: { name: 'Rex' } });
  await add();
  for (const path of ['pet/1', 'pet?text=rex']) await sqlite.call('GET', path, { headers });
  const backUp = () => sqlite.call('POST', 'admin/backups', { headers });
  return { key, targets: [new URL(sqlite.origin).host, address], sqlite: { ...sqlite, add, backUp }, postgres };
}

void describe('Prometheus', { skip }, () => {
  void it('alert rules: are valid, and promtool makes each of them fire', async () => {
    await run('promtool', ['check', 'rules', '--lint=all', '--lint-fatal', RULES]);
    await run('promtool', ['test', 'rules', TESTS]);
    const tested = [...readFileSync(TESTS, 'utf8').matchAll(/alertname="(\w+)"/g)].map(([, name]) => name);
    assert.deepEqual(
      tested,
      [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name),
    );
  });

  void it('rules and dashboard: work with two nodes, and alerts fire when they fail', async (t) => {
    const { key, targets, sqlite, postgres } = await startNodes(t);
    const folder = await writeConfiguration(t, key, targets);
    await run('promtool', ['check', 'config', join(folder, 'prometheus.yml')]);
    const read = await startPrometheus(t, folder);
    const readRules = async () =>
      (await read<{ groups: readonly { rules: Rule[] }[] }>('rules')).groups[0]?.rules ?? [];
    const findFiring = async (name: string, instance?: string) =>
      (await readRules())
        .find((rule) => rule.name === name)
        ?.alerts.find(
          ({ state, labels }) => state === 'firing' && (instance ?? labels['instance']) === labels['instance'],
        );
    const untilFiring = (name: string, instance?: string) =>
      until(`${name} fires`, async () => (await findFiring(name, instance)) !== undefined);

    let errors: readonly string[] = [];
    const areUp = async () => {
      const { activeTargets } = await read<{ activeTargets: { health: string; lastError: string }[] }>('targets');
      errors = activeTargets.map(({ lastError }) => lastError);
      return activeTargets.length === 2 && activeTargets.every(({ health }) => health === 'up');
    };
    await until('both nodes are up', areUp).catch((error: unknown) =>
      assert.fail(`${String(error)}: ${errors.join()}`),
    );
    await until('the rules are evaluated', async () => (await readRules()).every(({ health }) => health !== 'unknown'));
    const evaluated = await readRules();
    assert.deepEqual(
      evaluated.filter(({ health }) => health !== 'ok'),
      [],
    );
    await untilFiring('MenagerieBackupMissing');
    for (const name of ['MenagerieDown', 'MenagerieUnhealthy', 'MenagerieErrors', 'MenagerieBackupFailed'])
      assert.equal(await findFiring(name), undefined, name);
    await checkPanels(read);

    await rename(join(sqlite.dataDir, 'menagerie.db'), join(sqlite.dataDir, 'lost.db'));
    assert.equal((await sqlite.add()).status, 503);
    await sqlite.backUp();
    await untilFiring('MenagerieUnhealthy', targets[0]);
    await untilFiring('MenagerieBackupFailed');
    await until('MenagerieErrors fires', async () => {
      await sqlite.add();
      return (await findFiring('MenagerieErrors')) !== undefined;
    });
    // No listing site and no HTTPS is set up here.
    const queries = [...queriesOfPanels, ...evaluated.map(({ query }) => query)];
    await checkSelectors(
      read,
      queries.filter((query) => !/menagerie_(?:listing|certificate)_/.test(query)),
    );

    await postgres.stop();
    await untilFiring('MenagerieDown', targets[1]);
    const { labels, annotations } = (await findFiring('MenagerieDown')) ?? assert.fail();
    assert.deepEqual([labels['severity'], annotations['summary']], ['critical', `${targets[1]}: no metrics`]);
  });
});

/** Each selector of a metric finds data, also with its labels, and each operation exists. */
async function checkSelectors(read: Read, queries: readonly string[]): Promise<void> {
  const selectors = queries.flatMap((query) => query.match(/\b(?:menagerie|nodejs|process)_\w+(?:\{[^}]*\})?/g) ?? []);
  assert.ok(selectors.length >= queries.length - 1, 'all but `up`');
  await untilAllHaveData(read, selectors);
  const operations = queries.flatMap((query) => /operation!?[=~]+"([^"]*)"/.exec(query)?.[1]?.split('|') ?? []);
  assert.ok(operations.length > 0);
  assert.deepEqual(
    operations.filter((operation) => !(operation in ENDPOINTS)),
    [],
  );
}

/** Each query of the dashboard returns data. */
function checkPanels(read: Read): Promise<void> {
  return untilAllHaveData(read, queriesOfPanels);
}

async function untilAllHaveData(read: Read, queries: readonly string[]): Promise<void> {
  let empty = queries;
  const haveData = async () => {
    const results = await Promise.all(
      empty.map((panelQuery) => {
        const query = panelQuery.replaceAll('$job', 'menagerie').replaceAll('$__rate_interval', '15s');
        return read<{ result: readonly unknown[] }>(`query?query=${encodeURIComponent(query)}`);
      }),
    );
    empty = empty.filter((_query, index) => results[index]?.result.length === 0);
    return empty.length === 0;
  };
  await until('each query has data', haveData).catch((error: unknown) =>
    assert.fail(`${String(error)}: ${empty.join('\n')}`),
  );
}
