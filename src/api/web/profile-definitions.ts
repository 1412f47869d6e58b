/* Which fields a profile has, their types, and who reads them. */

export {
  isPlainField,
  isPrivate,
  PRIVATE_FIELDS,
  PROFILE_DEFINITIONS,
  type FieldType,
  type PlainField,
  type PrivateField,
} from '../../domain/pets/profile.ts';
