import { useSyncExternalStore } from 'react';
import { onLogout } from '../../service/reauthentication.ts';
import type { PetView } from '../../service/queries.ts';

/*
 * The selected pets of the list. The state is not in the cards, which unmount while the user scrolls.
 */

/** Each pet is read before it is changed, and users could not review more. */
export const MAX_SELECTED = 500;

export type Selection = ReadonlyMap<bigint, PetView>;

const NOTHING: Selection = new Map();

let selected: Selection = NOTHING;
/** Whether the cards show their controls without hover. */
let isSelecting = false;
/**
 * The search that the selection belongs to; undefined before the first list is known, when pets can already be
 * selected.
 */
let searchKey: string | undefined;
/** The pets of the list, in order. */
let listed: readonly PetView[] = [];
/** The start of a range. */
let anchor: bigint | undefined;
const listeners = new Set<() => void>();
onLogout(endSelecting);

export function useSelection(): Selection {
  return useSyncExternalStore(subscribe, () => selected);
}

/** True from the toggle button or the first selected pet on. */
export function useIsSelecting(): boolean {
  return useSyncExternalStore(subscribe, () => isSelecting || selected.size > 0);
}

/** Starts selecting, or ends it and clears the selection. */
export function toggleSelecting(): void {
  if (isSelecting || selected.size > 0) return endSelecting();
  isSelecting = true;
  notify();
}

function endSelecting(): void {
  isSelecting = false;
  clearSelection();
  notify();
}

/** A card renders again only when its own selection changes. */
export function useIsSelected(id: bigint): boolean {
  return useSyncExternalStore(subscribe, () => selected.has(id));
}

/**
 * Selects or deselects a pet.
 *
 * @param isRange includes all pets since the last toggled one
 * @returns false if the limit is exceeded
 */
export function toggleSelected(pet: PetView, isRange: boolean): boolean {
  const pets = isRange ? rangeTo(pet) : [pet];
  const isOn = !selected.has(pet.id);
  anchor = pet.id;
  return isOn ? select(pets) : deselect(pets);
}

/** @returns false if the limit is exceeded; then the first pets are selected */
export function select(pets: readonly PetView[]): boolean {
  const all = [...new Map([...selected, ...pets.map((pet) => [pet.id, pet] as const)])];
  setSelected(new Map(all.slice(0, MAX_SELECTED)));
  return all.length <= MAX_SELECTED;
}

export function clearSelection(): void {
  anchor = undefined;
  if (selected.size > 0) setSelected(NOTHING);
}

/** Registers the pets of the list. Another search clears the selection. */
export function followList(key: string, pets: readonly PetView[]): void {
  if (searchKey !== undefined && key !== searchKey) clearSelection();
  searchKey = key;
  listed = pets;
}

export function deselect(pets: readonly PetView[]): true {
  const ids = new Set(pets.map(({ id }) => id));
  setSelected(new Map([...selected].filter(([id]) => !ids.has(id))));
  return true;
}

function rangeTo(pet: PetView): readonly PetView[] {
  const [from, to] = [anchor, pet.id].map((id) => listed.findIndex((each) => each.id === id));
  if (from === undefined || to === undefined || from < 0 || to < 0) return [pet];
  return listed.slice(Math.min(from, to), Math.max(from, to) + 1);
}

function setSelected(next: Selection): void {
  selected = next;
  notify();
}

function notify(): void {
  for (const onChange of listeners) onChange();
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}
