import * as Type from '../../records/type.ts';
import { response, type OperationDescription } from '../parts/format.ts';
import { EXPORT_FORMAT } from '../parts/parameters.ts';
import { PetEvent } from '../../records/change-event.ts';
import { ExportedPet } from '../../records/profile.ts';

export const EXPORT_OPERATIONS = {
  exportPets: {
    group: 'pet',
    summary: 'Export all pets',
    description:
      'Streams all pets in ascending order of IDs. A pet that exists during the whole ' +
      'response occurs exactly once. In CSV (RFC 4180), lists are separated by `|`, and a cell that a ' +
      'spreadsheet would execute as a formula begins with an apostrophe. Drafts and private fields are only for ' +
      'those who may change pets.',
    query: {
      ...EXPORT_FORMAT,
      include: Type.Optional(
        Type.Unsafe<'profile'>({
          type: 'string',
          enum: ['profile'],
          description: 'Adds profiles: as `profile` of each pet, or a column for each field.',
        }),
      ),
      delimiter: Type.Optional(
        Type.Unsafe<'comma' | 'semicolon'>({
          type: 'string',
          enum: ['comma', 'semicolon'],
          description: 'Between cells in CSV. With semicolons, numbers have a comma, as Excel in German expects them.',
        }),
      ),
      for: Type.Optional(
        Type.Unsafe<'asm3'>({
          type: 'string',
          enum: ['asm3'],
          description: 'Writes CSV with the columns and words that this program imports, without adopted pets.',
        }),
      ),
    },
    responses: {
      200: response(
        { 'application/x-ndjson': ExportedPet, 'text/csv': Type.String() },
        'The pets.',
        'Content-Disposition',
      ),
    },
  },
  exportPetHistory: {
    group: 'pet',
    summary: 'Export the history of all pets',
    description:
      'Streams all versions of all pets, including deleted ones, in the order of the changes. Clients without ' +
      'permission to change pets get the six fields of versions that were published then, without `actor` and ' +
      '`profile`.',
    responses: {
      200: response({ 'application/x-ndjson': PetEvent }, 'The changes.', 'Content-Disposition'),
    },
  },
} as const satisfies Record<string, OperationDescription>;
