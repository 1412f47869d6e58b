import { PLAIN_TEXT } from '../../records/fields.ts';
import type { WrittenSchema } from './schema-writer.ts';

/*
 * Client generators for many languages turn the schemas of the document into checks, so every pattern must work in all
 * regular expression engines.
 */

/** Not supported by every engine: escapes of code points, lookaround and back references. */
const NOT_PORTABLE = /\\[uUpPkK1-9]|\(\?(?!:)/;

function isPortable(pattern: string): boolean {
  return !NOT_PORTABLE.test(pattern);
}

/**
 * Replaces a pattern that is not portable by its error message as a description. The introduction describes the rule
 * for all strings.
 */
export function portable(schema: WrittenSchema): WrittenSchema {
  const { pattern, message, description, ...rest } = schema;
  if (typeof pattern !== 'string' || isPortable(pattern)) return schema;
  const rule = typeof message === 'string' && pattern !== PLAIN_TEXT ? ruleOf(message) : undefined;
  const sentences = [description, rule].filter((sentence) => typeof sentence === 'string');
  return { ...rest, ...(sentences.length > 0 && { description: sentences.join(' ') }) };
}

/** Turns `must be a string` into `A string.` */
function ruleOf(message: string): string {
  const rule = message.replace(/^must be /, '');
  return `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.`;
}

/** Allows further fields: a strict client would break when a later version adds one. */
export function opened(schema: WrittenSchema): WrittenSchema {
  const { additionalProperties, ...rest } = schema;
  return typeof additionalProperties === 'boolean' ? rest : schema;
}

/** `anyOf` of a type and null is shorter as a list of types. */
export function withNullType(schema: WrittenSchema): WrittenSchema {
  const { anyOf, ...rest } = schema;
  const [one, other, ...others] = (anyOf ?? []) as readonly WrittenSchema[];
  if (others.length > 0 || other?.['type'] !== 'null' || typeof one?.['type'] !== 'string') return schema;
  if ('title' in one || 'enum' in one || 'const' in one) return schema;
  return { ...one, ...rest, type: [one['type'], 'null'] };
}

/** Merges nested unions: client generators would create a type for each. */
export function flattened(schema: WrittenSchema): WrittenSchema {
  const { anyOf } = schema;
  return Array.isArray(anyOf)
    ? { ...schema, anyOf: (anyOf as readonly WrittenSchema[]).flatMap(alternativesOf) }
    : schema;
}

function alternativesOf(schema: WrittenSchema): readonly WrittenSchema[] {
  const { anyOf, message: _message, ...rest } = schema;
  return Array.isArray(anyOf) && Object.keys(rest).length === 0
    ? (anyOf as readonly WrittenSchema[]).flatMap(alternativesOf)
    : [schema];
}
