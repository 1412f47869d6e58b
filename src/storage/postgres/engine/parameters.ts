/** A parameter of a statement. Arrays of integers are sent in the format of PostgreSQL: `{1,2,3}`. */
export type Parameter = string | number | bigint | null | readonly (string | number | bigint | null)[];

export function hasNul(parameter: Parameter): boolean {
  return typeof parameter === 'string' && parameter.includes('\0');
}

export function toText(parameter: Parameter): unknown {
  if (typeof parameter === 'bigint') return parameter.toString();
  if (!Array.isArray(parameter)) return parameter;
  return typeof (parameter.find((value) => value !== null) ?? '') === 'string'
    ? parameter
    : `{${parameter.map((value) => value ?? 'null').join()}}`;
}
