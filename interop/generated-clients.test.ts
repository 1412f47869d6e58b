import assert from 'node:assert/strict';
import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { generateClient, reasonWithout, runProgram } from './generator.ts';
import { openGeneratedClient } from './generated-client.ts';
import { roundTrip } from './round-trip.ts';
import { PICTURE, PICTURE_PATH, startForOthers } from './service.ts';

/*
 * Clients as openapi-generator makes them from swagger.json, compiled, and taken through all sixteen operations.
 */

const ROUND_TRIPS = join(import.meta.dirname, 'round-trips');
const TSC = resolve(import.meta.dirname, '../node_modules/.bin/tsc');

/** Where Debian's packages of Go libraries are. */
const GO_LIBRARIES = '/usr/share/gocode';

const noJava = await reasonWithout('java', '-version');
const noPython = noJava || (await reasonWithout('python3', '-c', 'import certifi, dateutil, six, urllib3'));
const noGo =
  noJava || (await reasonWithout('sh', '-c', `go version && test -d ${GO_LIBRARIES}/src/golang.org/x/oauth2`));

void describe('a generated client', () => {
  void it('of TypeScript does all sixteen operations', { skip: noJava }, async (t) => {
    const { base } = await startForOthers(t);
    const client = await generateClient(t, base, 'typescript-fetch');
    await writeFile(join(client, 'package.json'), '{ "type": "commonjs" }');
    await runProgram(
      TSC,
      '--strict --target es2022 --module nodenext --lib es2022,dom --outDir built index.ts'.split(' '),
      { cwd: client },
    );
    await roundTrip(openGeneratedClient(join(client, 'built/index.js'), base), PICTURE);
  });

  void it('of Python does all sixteen operations', { skip: noPython }, async (t) => {
    const { base } = await startForOthers(t);
    const client = await generateClient(t, base, 'python');
    const script = join(ROUND_TRIPS, 'round_trip.py');
    const environment = { PYTHONPATH: client, PYTHONDONTWRITEBYTECODE: '1' };
    assert.equal(await runProgram('python3', [script, base, PICTURE_PATH], { environment }), 'all sixteen\n');
  });

  void it('of Go does all sixteen operations', { skip: noGo }, async (t) => {
    const { base } = await startForOthers(t);
    const client = await generateClient(t, base, 'go-experimental');
    const sources = join(client, '../src');
    await mkdir(join(sources, 'roundtrip'), { recursive: true });
    await cp(client, join(sources, 'petstore'), { recursive: true });
    await copyFile(join(ROUND_TRIPS, 'round_trip.go'), join(sources, 'roundtrip/main.go'));
    const environment = {
      GO111MODULE: 'off',
      GOPATH: `${join(client, '..')}:${GO_LIBRARIES}`,
      GOCACHE: join(client, '../cache'),
    };
    const program = join(client, 'round-trip');
    await runProgram('go', ['build', '-o', program, 'roundtrip'], { environment });
    assert.equal(await runProgram(program, [base, PICTURE_PATH]), 'all sixteen\n');
  });
});
