/** A value that a statement is given. Arrays of integers are written as PostgreSQL has them: `{1,2,3}`. */
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
