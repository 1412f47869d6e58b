import { useSyncExternalStore } from 'react';
import { onLogout } from '../service/session-end.ts';
import type { PetView } from '../service/queries.ts';

/*
 * Which pets are selected in the list. It is kept here and not in the cards: they come and go while one scrolls.
 */

/** More at once nobody oversees, and each of them is read before it is changed. */
export const MAX_SELECTED = 500;

export type Selection = ReadonlyMap<bigint, PetView>;

const NOTHING: Selection = new Map();

let selected: Selection = NOTHING;
/** Whether the cards show their controls without being hovered over. */
let isSelecting = false;
/** The search that it is from; none before the first list is told, though pets can be selected in it already. */
let searchKey: string | undefined;
/** The pets of the list, in their order. */
let listed: readonly PetView[] = [];
/** Where a range begins. */
let anchor: bigint | undefined;
const followers = new Set<() => void>();
onLogout(endSelecting);

export function useSelection(): Selection {
  return useSyncExternalStore(follow, () => selected);
}

/** True while the reader selects pets: from the button for it, or from the first pet that is selected. */
export function useIsSelecting(): boolean {
  return useSyncExternalStore(follow, () => isSelecting || selected.size > 0);
}

/** Begins to select, or ends it and clears the selection. */
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

/** A card is drawn again when it is selected itself, not with every other. */
export function useIsSelected(id: bigint): boolean {
  return useSyncExternalStore(follow, () => selected.has(id));
}

/**
 * Selects the pet, or takes it off.
 *
 * @param isRange so do all others between it and the one before
 * @returns false where there are more than may be
 */
export function toggleSelected(pet: PetView, isRange: boolean): boolean {
  const pets = isRange ? rangeTo(pet) : [pet];
  const isOn = !selected.has(pet.id);
  anchor = pet.id;
  return isOn ? select(pets) : deselect(pets);
}

/** @returns false where there are more than may be: then the first of them are selected */
export function select(pets: readonly PetView[]): boolean {
  const all = [...new Map([...selected, ...pets.map((pet) => [pet.id, pet] as const)])];
  setSelected(new Map(all.slice(0, MAX_SELECTED)));
  return all.length <= MAX_SELECTED;
}

export function clearSelection(): void {
  anchor = undefined;
  if (selected.size > 0) setSelected(NOTHING);
}

/** What the list shows now. Those of another search are selected no more. */
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
  for (const onChange of followers) onChange();
}

function follow(onChange: () => void): () => void {
  followers.add(onChange);
  return () => followers.delete(onChange);
}
