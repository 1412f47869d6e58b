import type { EnquiryCriteria } from '../domain/enquiry-administration.ts';
import { ENQUIRY_STATES } from '../domain/enquiry.ts';
import { Failure } from '../../../domain/failure.ts';
import { parseInt64 } from '../../../domain/int64.ts';
import { choiceOf, flagOf, textOf, type Query } from '../../../api/queries/query-values.ts';

/** The filter of lists and exports of enquiries. @throws Failure `invalid-input` */
export function readEnquiryCriteria(query: Query): EnquiryCriteria {
  const assignee = textOf(query, 'assignee');
  const isUnassigned = flagOf(query, 'unassigned');
  if (assignee !== undefined && isUnassigned)
    throw new Failure('invalid-input', 'Only one of assignee and unassigned can be given.');
  return {
    state: choiceOf(query, 'state', ENQUIRY_STATES),
    petId: petIdIn(query),
    assignee: isUnassigned ? null : assignee,
    text: textOf(query, 'text'),
    email: textOf(query, 'email'),
  };
}

function petIdIn(query: Query): bigint | undefined {
  const text = textOf(query, 'petId');
  if (text === undefined) return undefined;
  const id = parseInt64(text);
  if (id === undefined) throw new Failure('invalid-input', 'petId must be a 64-bit integer.');
  return id;
}
