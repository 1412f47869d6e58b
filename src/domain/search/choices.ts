import { PET_STATUSES } from '../pets/pet.ts';
import type { LabelCount, LabelKind, Total } from './counts.ts';
import type { PetFindStore, PetIndex } from './ports.ts';
import { selectionOf, STATUS_FILTERS, type PetQuestion, type Selection, type StatusFilter } from './question.ts';
import { TOKEN_KINDS, tokenOf } from './tokens.ts';

/** How many pets there would be of each choice, together with what else is asked. */
export interface PetChoices {
  statuses: readonly (Total & { status: StatusFilter })[];
  categories: readonly (Total & { name: string })[];
  tags: readonly (Total & { name: string })[];
}

type ChoiceKind = 'status' | LabelKind;

/** Of labels, so many of the most used can be chosen; beside those that are. */
const MOST_LABELS = 100;

/**
 * So many of the pets that one chooses among are looked at, each for all choices at once; and so many for one answer, whatever is asked. To count on for
 * each choice by itself takes an index up to some milliseconds, and there are two hundred of them.
 */
const MOST_LOOKED_AT = 1000;
const MOST_OF_ALL = 2000;

/** What those that were looked at have. */
interface Look {
  /** How many of them have a token. */
  having: ReadonlyMap<string, number>;
  /** These are all there are. */
  isAll: boolean;
}

export async function countChoices(question: PetQuestion, store: PetFindStore, index: PetIndex): Promise<PetChoices> {
  const lookFor = beginLooks(question, index);

  async function ofStatuses(): Promise<PetChoices['statuses']> {
    const [all, look] = await Promise.all([countStatuses(index), lookFor('status')]);
    return STATUS_FILTERS.map((status) => ({ status, ...countOf('status', status, all[status], look) }));
  }

  async function ofLabels(kind: LabelKind, chosen: readonly string[]): Promise<readonly (Total & LabelCount)[]> {
    const keys = chosen.map((name) => [kind, name] as const);
    const [usual, counts, look] = await Promise.all([
      store.listLabels(kind, undefined, MOST_LABELS),
      keys.length === 0 ? [] : index.countsOf(keys),
      lookFor(kind),
    ]);
    const others = chosen
      .map((name, place) => ({ name, count: counts[place] ?? 0 }))
      .filter(({ name }) => !usual.some((label) => label.name === name));
    return [...usual, ...others].map(({ name, count }) => ({ name, ...countOf(kind, name, count, look) }));
  }

  const [statuses, categories, tags] = await Promise.all([
    ofStatuses(),
    ofLabels('category', question.categories),
    ofLabels('tag', question.tags),
  ]);
  return { statuses, categories, tags };
}

/** How many pets have each status, and how many have none, by the numbers that are kept. */
export async function countStatuses(index: PetIndex): Promise<Readonly<Record<StatusFilter, number>>> {
  const keys = PET_STATUSES.map((status) => ['status', status] as const);
  const [total = 0, available = 0, pending = 0, sold = 0] = await index.countsOf([['total', ''], ...keys]);
  return { available, pending, sold, none: total - available - pending - sold };
}

/** @returns for each kind, a look at those among whom it is chosen; undefined where these are all pets, of whom the numbers are kept */
function beginLooks(question: PetQuestion, index: PetIndex): (kind: ChoiceKind) => Promise<Look> | undefined {
  const selections = new Map<string, Selection>();
  const keys = new Map<ChoiceKind, string>();
  for (const kind of ['status', 'category', 'tag'] as const) {
    const selection = selectionOf(questionBeside(kind, question));
    if (selection.wanted === undefined && selection.sinceMs === undefined) continue;
    const key = JSON.stringify(selection);
    keys.set(kind, key);
    selections.set(key, selection);
  }
  // What several kinds are chosen among is looked at once; several looks share what may be looked at.
  const most = Math.min(MOST_LOOKED_AT, Math.floor(MOST_OF_ALL / selections.size));
  const looks = new Map([...selections].map(([key, selection]) => [key, lookAt(selection, most, index)]));
  return (kind) => looks.get(keys.get(kind) ?? '');
}

/** Choices of which one will do are made beside each other: each is counted as if the others of its kind were not made. */
function questionBeside(kind: ChoiceKind, question: PetQuestion): PetQuestion {
  if (kind === 'status') return { ...question, statuses: [] };
  if (kind === 'category') return { ...question, categories: [] };
  return question.tagMatch === 'all' ? question : { ...question, tags: [] };
}

async function lookAt(selection: Selection, most: number, index: PetIndex): Promise<Look> {
  const { tokens, isAll } = await index.lookAt(selection, most);
  const having = new Map<string, number>();
  const add = (token: string) => having.set(token, (having.get(token) ?? 0) + 1);
  for (const ofPet of tokens) {
    for (const token of ofPet) if (isOfChoice(token)) add(token);
    if (!ofPet.some((token) => token.startsWith(TOKEN_KINDS.status))) add(tokenOf('status', 'none'));
  }
  return { having, isAll };
}

function isOfChoice(token: string): boolean {
  return !token.startsWith(TOKEN_KINDS.nameWord) && !token.startsWith(TOKEN_KINDS.otherWord);
}

/** @param all how many have it of all the pets there are: where so many were met, there are no more to meet */
function countOf(kind: ChoiceKind, name: string, all: number, look: Look | undefined): Total {
  if (look === undefined) return { count: all, exact: true };
  const count = look.having.get(tokenOf(kind, name)) ?? 0;
  return { count, exact: look.isAll || count >= all };
}
