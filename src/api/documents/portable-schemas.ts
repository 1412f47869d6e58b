import { PLAIN_TEXT } from '../records/fields.ts';
import type { WrittenSchema } from './schema-writer.ts';

/*
 * Programs are made of the document in many languages, and of it they make checks. What is written there must be a rule to all of them.
 */

/** What only some regular expression engines know: escapes of characters by their code, what is ahead and behind, and what refers back. */
const NOT_PORTABLE = /\\[uUpPkK1-9]|\(\?(?!:)/;

export function isPortable(pattern: string): boolean {
  return !NOT_PORTABLE.test(pattern);
}

/** Without a pattern that other engines refuse: the rule is described by the error message instead, and that of every string in the introduction. */
export function portable(schema: WrittenSchema): WrittenSchema {
  const { pattern, message, description, ...rest } = schema;
  if (typeof pattern !== 'string' || isPortable(pattern)) return schema;
  const rule = typeof message === 'string' && pattern !== PLAIN_TEXT ? ruleOf(message) : undefined;
  const told = [description, rule].filter((sentence) => typeof sentence === 'string');
  return { ...rest, ...(told.length > 0 && { description: told.join(' ') }) };
}

/** `must be a string` is, as a description, `A string.` */
function ruleOf(message: string): string {
  const rule = message.replace(/^must be /, '');
  return `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.`;
}

/** With room for the fields that are still to come: a client that refuses what it does not know would break with the first of them. */
export function opened(schema: WrittenSchema): WrittenSchema {
  const { additionalProperties, ...rest } = schema;
  return additionalProperties === false ? rest : schema;
}
