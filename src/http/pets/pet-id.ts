import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';

/** The id of the pet that the address names. @throws Failure `invalid-input` */
export function petIdOf({ params }: FastifyRequest): bigint {
  const id = parseInt64((params as { petId: string }).petId);
  if (id === undefined) throw new Failure('invalid-input', 'Invalid ID supplied');
  return id;
}
