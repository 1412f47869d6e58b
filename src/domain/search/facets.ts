import { PET_STATUSES } from '../pets/pet.ts';
import type { LabelCount, LabelKind, Total } from './counts.ts';
import type { PetFindStore, PetIndex } from './ports.ts';
import {
  selectionOf,
  selectsAll,
  STATUS_FILTERS,
  type PetQuestion,
  type Selection,
  type StatusFilter,
} from './question.ts';
import { TOKEN_KINDS, tokenOf } from './tokens.ts';

/** The number of matches for each value of a facet, if it were selected in addition to the question. */
export interface PetFacets {
  statuses: readonly (Total & { status: StatusFilter })[];
  categories: readonly (Total & { name: string })[];
  tags: readonly (Total & { name: string })[];
}

type Facet = 'status' | LabelKind;

/** Maximum number of values of a label facet, beside the selected ones. */
const MAX_LABELS = 100;

/**
 * Maximum number of pets examined per facet, for all its values together, and per response. A query for each value would take some milliseconds each, for up
 * to two hundred values.
 */
const MAX_EXAMINED_OF_FACET = 1000;
const MAX_EXAMINED = 2000;

/** A sample of the pets that a facet is counted over. */
interface Sample {
  /** How many of them have each token. */
  counts: ReadonlyMap<string, number>;
  isComplete: boolean;
}

type Samples = (facet: Facet) => Promise<Sample> | undefined;

export async function countFacets(question: PetQuestion, store: PetFindStore, index: PetIndex): Promise<PetFacets> {
  const sampleOf = beginSamples(question, index);
  const [statuses, categories, tags] = await Promise.all([
    statusFacet(index, sampleOf),
    labelFacet('category', question.categories, store, index, sampleOf),
    labelFacet('tag', question.tags, store, index, sampleOf),
  ]);
  return { statuses, categories, tags };
}

async function statusFacet(index: PetIndex, sampleOf: Samples): Promise<PetFacets['statuses']> {
  const [all, sample] = await Promise.all([countStatuses(index), sampleOf('status')]);
  return STATUS_FILTERS.map((status) => ({ status, ...countOf('status', status, all[status], sample) }));
}

async function labelFacet(
  kind: LabelKind,
  selected: readonly string[],
  store: PetFindStore,
  index: PetIndex,
  sampleOf: Samples,
): Promise<readonly (Total & LabelCount)[]> {
  const keys = selected.map((name) => [kind, name] as const);
  const [mostUsed, counts, sample] = await Promise.all([
    store.listLabels(kind, undefined, MAX_LABELS),
    keys.length === 0 ? [] : index.countsOf(keys),
    sampleOf(kind),
  ]);
  const others = selected
    .map((name, place) => ({ name, count: counts[place] ?? 0 }))
    .filter(({ name }) => !mostUsed.some((label) => label.name === name));
  return [...mostUsed, ...others].map(({ name, count }) => ({ name, ...countOf(kind, name, count, sample) }));
}

/** How many pets have each status, and how many have none, from the stored counts. */
export async function countStatuses(index: PetIndex): Promise<Readonly<Record<StatusFilter, number>>> {
  const keys = PET_STATUSES.map((status) => ['status', status] as const);
  const [total = 0, available = 0, pending = 0, sold = 0] = await index.countsOf([['total', ''], ...keys]);
  return { available, pending, sold, none: total - available - pending - sold };
}

/** Starts one query per distinct selection. @returns the sample of a facet; undefined if it covers all pets, for which the store keeps counts */
function beginSamples(question: PetQuestion, index: PetIndex): Samples {
  const selections = new Map<string, Selection>();
  const keys = new Map<Facet, string>();
  for (const facet of ['status', 'category', 'tag'] as const) {
    const selection = selectionOf(questionWithout(facet, question));
    if (selectsAll(selection)) continue;
    const key = JSON.stringify(selection);
    keys.set(facet, key);
    selections.set(key, selection);
  }
  // Facets with the same selection share a sample; several samples share the maximum of the response.
  const most = Math.min(MAX_EXAMINED_OF_FACET, Math.floor(MAX_EXAMINED / selections.size));
  const samples = new Map([...selections].map(([key, selection]) => [key, sample(selection, most, index)]));
  return (facet) => samples.get(keys.get(facet) ?? '');
}

/** Values of which one is enough are alternatives: each is counted as if none of its facet were selected. */
function questionWithout(facet: Facet, question: PetQuestion): PetQuestion {
  if (facet === 'status') return { ...question, statuses: [] };
  if (facet === 'category') return { ...question, categories: [] };
  return question.tagMatch === 'all' ? question : { ...question, tags: [] };
}

async function sample(selection: Selection, most: number, index: PetIndex): Promise<Sample> {
  const { tokens, isAll } = await index.lookAt(selection, most);
  const counts = new Map<string, number>();
  const add = (token: string) => counts.set(token, (counts.get(token) ?? 0) + 1);
  for (const ofPet of tokens) {
    for (const token of ofPet) if (isOfFacet(token)) add(token);
    if (!ofPet.some((token) => token.startsWith(TOKEN_KINDS.status))) add(tokenOf('status', 'none'));
  }
  return { counts, isComplete: isAll };
}

function isOfFacet(token: string): boolean {
  return !token.startsWith(TOKEN_KINDS.nameWord) && !token.startsWith(TOKEN_KINDS.otherWord);
}

/** @param all how many of all pets have the value: a sample with as many has all of them */
function countOf(facet: Facet, name: string, all: number, found: Sample | undefined): Total {
  if (found === undefined) return { count: all, exact: true };
  const count = found.counts.get(tokenOf(facet, name)) ?? 0;
  return { count, exact: found.isComplete || count >= all };
}
