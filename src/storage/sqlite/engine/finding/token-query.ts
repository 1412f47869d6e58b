import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Wanted } from '../../../../domain/search/question.ts';
import { prepareRow } from '../database.ts';

/*
 * What is wanted of tokens, in the two ways in which SQLite can be asked: of the full-text index, which meets only what has them, and of a row.
 */

/** What the index is asked. */
export interface TokenMatch {
  /** In the words of FTS5. Undefined where the index cannot tell: then every pet may be one. */
  match: string | undefined;
  /** What the index says is all that is wanted; else each row has to be looked at, too. */
  isWhole: boolean;
  /** There is none. */
  isNone: boolean;
}

export interface RowCondition {
  sql: string;
  parameters: readonly SQLInputValue[];
}

/**
 * A prefix is asked for as the words that begin so. Where there are more, a row tells it sooner: FTS5 would put together all pets of all of them before it
 * told of the first one.
 */
const MOST_WORDS = 16;

const NONE: TokenMatch = { match: undefined, isWhole: true, isNone: true };
const ANYTHING: TokenMatch = { match: undefined, isWhole: false, isNone: false };

/** Makes questions to the index of what is wanted. */
export function createTokenMatches(db: DatabaseSync): (wanted: Wanted) => TokenMatch {
  const wordFrom = prepareRow(db, 'select term from pet_token_order where term >= ? limit 1');
  const wordAfter = prepareRow(db, 'select term from pet_token_order where term > ? limit 1');

  /** What is asked at once has one answer: each word takes nearly a tenth of a millisecond. */
  const told = new Map<string, readonly string[] | undefined>();

  function wordsOf(prefix: string): readonly string[] | undefined {
    if (told.has(prefix)) return told.get(prefix);
    if (told.size === 0) queueMicrotask(() => told.clear());
    const words = findWords(prefix);
    told.set(prefix, words);
    return words;
  }

  function findWords(prefix: string): readonly string[] | undefined {
    const words: string[] = [];
    for (let row = wordFrom(prefix); ; row = wordAfter(words.at(-1) ?? prefix)) {
      const word = row?.[0] as string | undefined;
      if (!word?.startsWith(prefix)) return words;
      if (words.length === MOST_WORDS) return undefined;
      words.push(word);
    }
  }

  function matchOf(wanted: Wanted): TokenMatch {
    if (wanted.kind === 'token') return whole(`"${wanted.token}"`);
    if (wanted.kind === 'prefix') {
      const words = wordsOf(wanted.prefix);
      if (words === undefined) return ANYTHING;
      return words.length === 0 ? NONE : whole(words.map((word) => `"${word}"`).join(' OR '));
    }
    if (wanted.kind === 'any') return matchAny(wanted.of.map(matchOf));
    return matchAll(wanted.kind === 'all' ? wanted.of : [wanted]);
  }

  function matchAll(parts: readonly Wanted[]): TokenMatch {
    const matches = parts.filter(({ kind }) => kind !== 'not').map(matchOf);
    if (matches.some(({ isNone }) => isNone)) return NONE;
    const known = matches.map(({ match }) => match).filter((match) => match !== undefined);
    // Without anything to take it from, FTS5 takes nothing away.
    const without = parts.flatMap((part) => (part.kind === 'not' ? [matchOf(part.of)] : []));
    const all = known.map((match) => `(${match})`).join(' AND ');
    const taken = all === '' ? [] : without.filter(({ isWhole, isNone }) => isWhole && !isNone);
    return {
      match: all === '' ? undefined : taken.reduce((from, { match }) => `(${from}) NOT (${match ?? ''})`, all),
      isWhole: matches.every(({ isWhole }) => isWhole) && all !== '' && without.every(({ isWhole }) => isWhole),
      isNone: false,
    };
  }

  return matchOf;
}

function whole(match: string): TokenMatch {
  return { match, isWhole: true, isNone: false };
}

function matchAny(matches: readonly TokenMatch[]): TokenMatch {
  const some = matches.filter(({ isNone }) => !isNone);
  if (some.length === 0) return NONE;
  if (some.some(({ match }) => match === undefined)) return ANYTHING;
  return {
    match: some.map(({ match }) => `(${match ?? ''})`).join(' OR '),
    isWhole: some.every(({ isWhole }) => isWhole),
    isNone: false,
  };
}

/** The same of the column `tokens` of a row, where each token stands between spaces. */
export function conditionOf(wanted: Wanted): RowCondition {
  if (wanted.kind === 'token') return { sql: 'instr(tokens, ?) > 0', parameters: [` ${wanted.token} `] };
  if (wanted.kind === 'prefix') return { sql: 'instr(tokens, ?) > 0', parameters: [` ${wanted.prefix}`] };
  const parts = wanted.kind === 'not' ? [conditionOf(wanted.of)] : wanted.of.map(conditionOf);
  const sql = parts.map((part) => `(${part.sql})`).join(wanted.kind === 'any' ? ' or ' : ' and ');
  return { sql: wanted.kind === 'not' ? `not ${sql}` : sql, parameters: parts.flatMap((part) => part.parameters) };
}
