import { useSyncExternalStore } from 'react';
import { bootstrap } from './bootstrap.ts';

/*
 * The pets that a visitor has marked. They stay in the browser: the service does not store them.
 */

export interface Favourite {
  /** The digits of its ID. */
  id: string;
  /** Shown when the pet has been deleted. */
  name: string;
}

/** As many as the address of a shared list can have. */
export const MAX_FAVOURITES = 100;

/** With the path: several services may share a host. */
const KEY = `menagerie-favourites:${bootstrap.basePath}`;

let favourites = readFavourites();
const listeners = new Set<() => void>();

/** The newest first. */
export function useFavourites(): readonly Favourite[] {
  return useSyncExternalStore(subscribe, () => favourites);
}

export function useIsFavourite(id: string): boolean {
  return useSyncExternalStore(subscribe, () => isFavourite(id));
}

/** @returns false if there are too many */
export function toggleFavourite({ id, name }: Favourite): boolean {
  return change((all) => {
    const others = all.filter((each) => each.id !== id);
    return others.length < all.length ? others : [{ id, name }, ...all];
  });
}

/** Adds the pets that are not in the list yet. @returns false if there are too many */
export function addFavourites(added: readonly Favourite[]): boolean {
  return change((all) => [...added.filter(({ id }) => all.every((each) => each.id !== id)), ...all]);
}

function isFavourite(id: string): boolean {
  return favourites.some((each) => each.id === id);
}

function change(changed: (all: readonly Favourite[]) => readonly Favourite[]): boolean {
  const next = changed(favourites);
  if (next.length > MAX_FAVOURITES) return false;
  favourites = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Without storage, they last until the page is closed.
  }
  for (const listener of listeners) listener();
  return true;
}

function readFavourites(): readonly Favourite[] {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly Favourite[];
    return stored.filter(({ id, name }) => /^-?\d+$/.test(id) && typeof name === 'string');
  } catch {
    return [];
  }
}

function subscribe(onChange: () => void): () => void {
  const followOtherTabs = ({ key }: StorageEvent) => {
    if (key !== KEY) return;
    favourites = readFavourites();
    onChange();
  };
  listeners.add(onChange);
  window.addEventListener('storage', followOtherTabs);
  return () => {
    listeners.delete(onChange);
    window.removeEventListener('storage', followOtherTabs);
  };
}
