import { MAX_ADDRESS_LENGTH } from '../../domain/mail/mail-address.ts';
import { count, exactly, text } from './fields.ts';
import { recordText } from './record-text.ts';
import * as Type from './type.ts';

/* Erasing what people have sent who have no account. */

export const SentErasure = Type.Object(
  { email: text(MAX_ADDRESS_LENGTH) },
  { title: 'SentErasure', message: 'must be a JSON object with email' },
);
export type SentErasure = Type.Static<typeof SentErasure>;

export const Erasure = Type.Object({ erased: count('The number of deleted records.') }, exactly('Erasure'));

export function erasureText(erased: number): string {
  return recordText<Type.Static<typeof Erasure>>({ erased });
}
