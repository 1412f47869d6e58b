import { NEW_PETS, rate, rates, readsOf } from '../tools/load.ts';
import { NEW_PET } from '../tools/sample-pets.ts';
import { transactionRate } from '../tools/pgbench.ts';
import { requireSamples, query, type Database } from '../tools/postgres.ts';
import { count, inTurn, type Bench, type Measurement } from '../tools/measurement.ts';
import { POSTGRES_PLACE, searchMeasurements } from './search.ts';
import { POSTGRES_WEBHOOKS } from './webhooks.ts';

/*
 * The service on PostgreSQL. All processes use all cores: the service, PostgreSQL and the load would be three on two
 * cores, but pgbench and PostgreSQL are only two. Compared with pgbench, the service therefore has to do its own work
 * with the time that PostgreSQL leaves.
 */

const CORES = 'all cores';

/** As in the other loads. */
const CLIENTS = 64;

/** The default limit of a node. It uses fewer; with so few, pgbench would wait for each response. */
const MAX_CONNECTIONS = 10;

export const POSTGRES: readonly Measurement[] = [
  {
    name: 'postgres-read',
    title: ({ medium }) => `pet by id, ${count(medium)} pets / pgbench with ${MAX_CONNECTIONS} connections`,
    claim: { atLeast: 0.8, reachFor: 1 },
    run: measureReads,
  },
  {
    name: 'postgres-write-rows',
    title: () => 'durable new pet with an audit entry / pgbench with the same rows, one transaction per pet',
    run: measureRows,
  },
  {
    name: 'postgres-growth',
    title: ({ huge, modest }) => `pet by id at ${count(huge)} pets / at ${count(modest)}`,
    claim: { atLeast: 0.8, reachFor: 0.95 },
    run: measureGrowth,
  },
  ...searchMeasurements('postgres-', POSTGRES_PLACE),
  ...POSTGRES_WEBHOOKS,
];

async function measureReads(bench: Bench) {
  const database = await bench.postgres.database(bench.scale.medium, 'read');
  const { origin } = await startNode(bench, database);
  return inTurn(bench, {
    unit: '/s',
    ours: (seconds) => rate(origin, readsOf(database.pets), seconds, CORES),
    theirs: (seconds) =>
      transactionRate({
        database,
        script: '\\set id random(1, :highest)\nselect id, version, text from pet where id = :id;\n',
        variables: { highest: database.pets },
        clients: MAX_CONNECTIONS,
        seconds,
      }),
  });
}

/**
 * One transaction that adds a pet with its version, its tags and its audit entry. In favour of pgbench, its statements
 * are sent together, and sequences number the rows, so transactions do not wait for each other.
 */
const ROWS_SCRIPT = `\\startpipeline
begin;
insert into pgbench_pet (id, version, status, text, added_version)
  values (nextval('pgbench_pet_id'), currval('pgbench_pet_id'), 'available', :text, currval('pgbench_pet_id'));
insert into pgbench_version (pet_id, version, action, changed_at_ms, text)
  values (currval('pgbench_pet_id'), currval('pgbench_pet_id'), 'added', :now, :text);
insert into pgbench_tag (name, pet_id)
  values ('friendly', currval('pgbench_pet_id')), ('small', currval('pgbench_pet_id'));
insert into pgbench_audit (id, at_ms, via, address, action, subject_kind, subject_id, outcome, details)
  values (currval('pgbench_pet_id'), :now, 'anonymous', '203.0.113.7', 'add-pet', 'pet', currval('pgbench_pet_id')::text, 'done', :details);
end;
\\endpipeline
`;

async function measureRows(bench: Bench) {
  const database = await bench.postgres.database(bench.scale.medium, 'audited');
  // Only changes by clients of other machines are audited.
  const { origin } = await startNode(bench, database, 'one', ['--trusted-proxies', '1']);
  const tables = { pet: 'pet', version: 'pet_version', tag: 'pet_tag', audit: 'audit' };
  for (const [name, table] of Object.entries(tables))
    await query(database.url, `create table pgbench_${name} (like ${table} including all)`);
  await query(database.url, 'create sequence pgbench_pet_id');
  const added = { ...NEW_PETS, forwardedFor: '203.0.113.7' };
  await rate(origin, added, 1, CORES);
  const [last] = await query(database.url, 'select details from audit order by id desc limit 1');
  if (last === undefined) throw new Error('The new pets have no audit entries.');
  const text = `{"id":${database.pets},${NEW_PET.slice(1)}`;
  return inTurn(bench, {
    unit: '/s',
    ours: (seconds) => rate(origin, added, seconds, CORES),
    theirs: (seconds) =>
      transactionRate({
        database,
        script: ROWS_SCRIPT,
        variables: { text, now: Date.now(), details: String(last['details']) },
        clients: CLIENTS,
        seconds,
      }),
  });
}

async function measureGrowth(bench: Bench) {
  const { postgres, scale } = bench;
  const huge = await postgres.database(scale.huge, 'read');
  const modest = await postgres.database(scale.modest, 'read');
  const [ofHuge, ofModest] = [await startNode(bench, huge), await startNode(bench, modest)];
  return inTurn(bench, rates([ofHuge.origin, readsOf(huge.pets)], [ofModest.origin, readsOf(modest.pets)], CORES));
}

async function startNode({ servers }: Bench, database: Database, name = 'one', more: readonly string[] = []) {
  const [folder, flags] = database.node(name);
  const server = await servers.menagerie(folder, [...flags, ...more], CORES);
  await requireSamples(server.origin, database);
  return server;
}
