import { changesBetween, type FieldChange } from '../domain/pets/pet-history.ts';
import type { HistoryEntry, RemovedPet } from '../domain/pets/pet-version.ts';
import { recordText } from './answers.ts';

/*
 * What is shown of the history of a pet. The pets in it are texts already, with pictures of ours as a store has them.
 */

export function historyEntryText(entry: HistoryEntry): string {
  return `{${entryFields(entry)}}`;
}

/** With the whole pet as it was; null where the version is a removal. */
export function petVersionText(entry: HistoryEntry): string {
  return `{${entryFields(entry)},"pet":${entry.version.text ?? 'null'}}`;
}

export function removedPetText({ text, atMs, actor }: RemovedPet): string {
  const removal = recordText({ removedAt: new Date(atMs).toISOString(), removedBy: actor ?? null });
  return `${text.slice(0, -1)},${removal.slice(1)}`;
}

function entryFields({ version: { version, action, atMs, actor, text }, textBefore }: HistoryEntry): string {
  const at = new Date(atMs).toISOString();
  const fields = recordText({ version, at, action, actor: actor ?? null }).slice(1, -1);
  return `${fields},"changes":[${changesBetween(textBefore, text).map(changeText).join()}]`;
}

function changeText({ field, before, after }: FieldChange): string {
  const values = [
    ...(before === undefined ? [] : [`"before":${before}`]),
    ...(after === undefined ? [] : [`"after":${after}`]),
  ];
  return `{"field":"${field}",${values.join()}}`;
}
