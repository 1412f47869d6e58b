/** Strings, punctuation, and everything else: numbers and names. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Indents a JSON text. Numbers and strings keep their characters, since they are not parsed.
 *
 * @returns the same text if it is not one JSON value, such as NDJSON
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  let before = '';
  let indented = '';
  for (const [token] of text.matchAll(TOKENS)) {
    const isEnd = token === '}' || token === ']';
    if (isEnd) depth -= 1;
    const isEmpty = isEnd && (before === '{' || before === '[');
    if (before !== '' && !isEmpty && (isEnd || '{[,'.includes(before))) indented += `\n${'  '.repeat(depth)}`;
    indented += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return indented;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
