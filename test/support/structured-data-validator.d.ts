/* The package has no types. These are of the part that is used here. */
declare module '@adobe/structured-data-validator' {
  export interface Issue {
    severity: 'ERROR' | 'WARNING';
    issueMessage: string;
    fieldNames: readonly string[];
  }

  export default class Validator {
    /** @param data things by format and type */
    validate(data: { jsonld: Readonly<Record<string, readonly object[]>> }): Promise<readonly Issue[]>;
  }
}
