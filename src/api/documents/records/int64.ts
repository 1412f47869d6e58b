import { Type } from 'typebox';

/** A 64-bit integer as the service writes it: digits, which a double does not hold beyond 2^53. So a program has it as a bigint. */
export function int64(description: string) {
  return Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description });
}

/** RFC 3339, in UTC. */
export function time(description: string) {
  return Type.Unsafe<string>({ type: 'string', format: 'date-time', description });
}
