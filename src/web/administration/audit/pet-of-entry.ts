import { useQuery } from '@tanstack/react-query';
import { client } from '../../service/client.ts';
import { PETS_KEY } from '../../service/queries.ts';
import type { HistoryEntry } from '../../history/history-queries.ts';
import type { AuditEntryView } from '../admin-queries.ts';

type Field = HistoryEntry['changes'][number]['field'];

export interface PetOfEntry {
  /** Null if unknown. */
  name: string | null;
  /** Empty for a new or deleted pet. */
  fields: readonly Field[];
}

const FIELDS: readonly Field[] = ['name', 'status', 'category', 'tags', 'photoUrls'];

/** Only entries of earlier versions of the service lack the name. The newest versions of a long history are enough. */
const MAX_VERSIONS = 100;

/** Reads the name and the changed fields from the entry, or from the history of the pet if the entry lacks them. */
export function usePetOfEntry({ subject, details, action, at }: AuditEntryView): PetOfEntry | undefined {
  const id = subject?.kind === 'pet' ? subject.id : undefined;
  const { data } = useQuery({
    queryKey: [...PETS_KEY, 'history', id, 'audit'],
    queryFn: ({ signal }) => client.listPetHistory({ petId: BigInt(id ?? 0), limit: MAX_VERSIONS }, { signal }),
    enabled: id !== undefined && subject?.name === null,
    retry: false,
  });
  if (id === undefined || subject === null) return undefined;
  if (subject.name !== null) {
    const changed = details?.['fields']?.split(', ') ?? [];
    return { name: subject.name, fields: FIELDS.filter((field) => changed.includes(field)) };
  }
  const index = data?.findIndex((version) => version.at === at && `pet.${version.action}` === action) ?? -1;
  const [version, ...earlier] = index === -1 ? [] : (data?.slice(index) ?? []);
  if (version === undefined) return { name: null, fields: [] };
  const changed = version.changes.map(({ field }) => field);
  const isOfExisting = version.changes.some(({ before }) => before !== undefined) && version.action !== 'deleted';
  return {
    name: nameIn([version, ...earlier]),
    fields: isOfExisting ? FIELDS.filter((field) => changed.includes(field)) : [],
  };
}

/** @param versions from the newest on */
function nameIn(versions: readonly HistoryEntry[]): string | null {
  for (const { changes } of versions)
    for (const change of changes) if (change.field === 'name') return change.after ?? change.before ?? null;
  return null;
}
