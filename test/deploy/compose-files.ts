import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { instructionsOf, variablesOf } from './image.ts';
import { readYaml, type Yaml } from './read-yaml.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A service of a Compose file. */
export type Service = Readonly<Record<string, Yaml>>;

export const asRecord = (value: Yaml) => (value ?? {}) as Service;

export function asText(value: Yaml): string {
  assert.equal(typeof value, 'string');
  return value as string;
}

/** The services of a Compose file, by name. */
export async function servicesOf(file: string): Promise<ReadonlyArray<readonly [string, Service]>> {
  const { services } = asRecord(await readYaml(readFileSync(join(ROOT, file), 'utf8')));
  return Object.entries(asRecord(services)).map(([name, service]) => [name, asRecord(service)]);
}

/** Substitutes `${NAME:-default}` and `${NAME:?message}` as Compose does. */
function substitute(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, kind: string, rest: string) => {
    const value = values[name] ?? (kind === '-' ? rest : undefined);
    assert.ok(value !== undefined, `${name} ${rest}`);
    return value;
  });
}

/** The variables of the Dockerfile. */
export function environmentOfImage(): Record<string, string> {
  const instructions = instructionsOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  return variablesOf(instructions.find(({ name }) => name === 'ENV')?.text ?? '');
}

export function environmentOf(service: Service, values: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(asRecord(service['environment'])).map(([name, value]) => [
    name,
    substitute(asText(value), values),
  ]);
  return { ...environmentOfImage(), ...(Object.fromEntries(own) as Record<string, string>) };
}
