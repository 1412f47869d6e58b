import Validator, { type Issue } from '@adobe/structured-data-validator';

/* The structured data of pages, and Google's requirements for it. */

export type Thing = Readonly<Record<string, unknown>> & { '@type': string };

/** The things that a page describes as JSON-LD. */
export function structuredDataIn(page: string): readonly Thing[] {
  const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? [];
  if (json === undefined) return [];
  return (JSON.parse(json) as { '@graph': readonly Thing[] })['@graph'];
}

/** @returns the errors, without recommendations */
export async function checkStructuredData(things: readonly Thing[]): Promise<readonly Issue[]> {
  // In the form of the parser that the validator is made for.
  const jsonld = Object.fromEntries(things.map((thing) => [thing['@type'], [structuredClone(thing)]]));
  const issues = await new Validator().validate({ jsonld });
  return issues.filter(({ severity }) => severity === 'ERROR');
}
