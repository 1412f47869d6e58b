/* The functions of papaparse that are used. @types/papaparse would add the globals of Node to the web application. */

declare module 'papaparse' {
  interface ParserOptions {
    delimiter: string;
    newline: string;
    quoteChar: string;
  }

  interface Parsed {
    data: string[][];
    /** `row` is the index in `data`. */
    errors: { code: string; row: number }[];
    /** The end of the last row in `data`. */
    meta: { cursor: number };
  }

  class Parser {
    constructor(options: ParserOptions);
    parse(text: string, baseIndex: number, ignoreLastRow: boolean): Parsed;
  }

  const Papa: {
    Parser: typeof Parser;
    unparse(
      rows: readonly (readonly string[])[],
      options: { newline: string; quotes: (cell: string) => boolean },
    ): string;
  };
  export default Papa;
}
