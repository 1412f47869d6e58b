import { DAY_MS, type LabelKind } from './counts.ts';
import { ageSetsOf, type AgeGroup } from './ages.ts';
import { DRAFT, HAS_INTAKE_DATE } from './facts.ts';
import { allWordsOf, categoriesOf, isDraft, NO_DATES, statusesOf, type PetTraits } from './pet-traits.ts';
import { nameKeyOf, wordsOf } from './words.ts';
import { Ids, Numbers, Texts, type TextsData } from './slots/columns.ts';
import { Labels } from './labels.ts';
import { SimilarWords } from './similar-words.ts';
import { SlotOrder } from './slots/slot-order.ts';
import { SlotSets, type SlotSetsData } from './slots/slot-sets.ts';
import { difference, listOf, setBit, unionOf, type Slots } from './slots/slots.ts';
import { Vocabulary, type VocabularyData } from './vocabulary.ts';

interface IndexedPet {
  id: bigint;
  /** The version of its last change. */
  version: bigint;
  /** The version of its addition or last publication. A restored pet returns to its place among the newest. */
  addedVersion: bigint;
  changedAtMs: number;
  traits: PetTraits;
}

/** The position of a pet in each order. */
export interface Place {
  id: bigint;
  nameKey: string;
  addedVersion: number;
  /** See `dayNumberOf`; 0 if unknown. */
  intakeDay: number;
}

const ORDERS = ['id', 'name', 'newest'] as const;

export type Order = (typeof ORDERS)[number];

const LABEL_KINDS = ['category', 'tag', 'breed'] as const satisfies readonly LabelKind[];

/** The content of an index as plain data. An index that is created from it uses its arrays. */
export interface PetIndexData {
  slotCount: number;
  freeSlots: readonly number[];
  ids: Uint32Array | BigInt64Array;
  versions: Uint32Array | Float64Array;
  addedVersions: Uint32Array | Float64Array;
  changedAtMs: Uint32Array | Float64Array;
  nameKeys: TextsData;
  births: Uint32Array | Float64Array;
  intakeDays: Uint32Array | Float64Array;
  orders: Readonly<Record<Order, Uint32Array>>;
  byStay: Uint32Array;
  nameWords: VocabularyData;
  statuses: SlotSetsData;
  facts: SlotSetsData;
  labels: Readonly<Record<LabelKind, SlotSetsData>>;
}

/** An index of pets in memory, for search. */
export class PetIndex {
  readonly nameWords: Vocabulary;
  /** The pets by `StatusFilter`. */
  readonly statuses: SlotSets;
  /** The pets by the keys of facts. */
  readonly facts: SlotSets;
  readonly labels: Readonly<Record<LabelKind, Labels>>;
  readonly orders: Readonly<Record<Order, SlotOrder>>;
  /** The pets with an intake date, the earliest first. The others need no place here: they follow by id. */
  readonly byStay: SlotOrder;
  /** Only words of pets that are no drafts: others would be visible to everyone. */
  readonly similarWords: SimilarWords;
  #slotCount: number;
  readonly #freeSlots: number[];
  readonly #ids: Ids;
  readonly #versions: Numbers;
  readonly #addedVersions: Numbers;
  readonly #changedAtMs: Numbers;
  readonly #nameKeys: Texts;
  readonly #births: Numbers;
  readonly #intakeDays: Numbers;
  /** The age groups on the last day for which they were asked, until a birth changes. */
  #ages: { day: number; sets: Readonly<Record<AgeGroup, Slots>> } | undefined;

  constructor(data?: PetIndexData) {
    this.nameWords = new Vocabulary(data?.nameWords);
    this.statuses = new SlotSets(data?.statuses);
    this.facts = new SlotSets(data?.facts);
    this.labels = {
      category: new Labels(data?.labels.category),
      tag: new Labels(data?.labels.tag),
      breed: new Labels(data?.labels.breed),
    };
    this.similarWords = new SimilarWords({
      words: () => this.vocabularies().flatMap((words) => words.words()),
      countOf: (word) => this.countOfWord(word, this.hidden(true)),
    });
    this.#slotCount = data?.slotCount ?? 0;
    this.#freeSlots = [...(data?.freeSlots ?? [])];
    this.#ids = new Ids(data?.ids);
    this.#versions = new Numbers(data?.versions);
    this.#addedVersions = new Numbers(data?.addedVersions);
    this.#changedAtMs = new Numbers(data?.changedAtMs);
    this.#nameKeys = new Texts(data?.nameKeys);
    this.#births = new Numbers(data?.births);
    this.#intakeDays = new Numbers(data?.intakeDays);
    const byId = (a: number, b: number) => this.#ids.compare(a, b);
    this.orders = {
      id: new SlotOrder(byId, data?.orders.id),
      name: new SlotOrder((a, b) => this.#nameKeys.compare(a, b) || byId(a, b), data?.orders.name),
      // A version adds one pet.
      newest: new SlotOrder((a, b) => this.addedVersionOf(b) - this.addedVersionOf(a), data?.orders.newest),
    };
    const byStay = (a: number, b: number) => this.intakeDayOf(a) - this.intakeDayOf(b) || byId(a, b);
    this.byStay = new SlotOrder(byStay, data?.byStay);
  }

  get count(): number {
    return this.#slotCount - this.#freeSlots.length;
  }

  /** The slot of a pet; undefined if it is not in the index. */
  find(id: bigint): number | undefined {
    const slot = this.orders.id.first((other) => this.idOf(other) < id);
    return slot !== undefined && this.idOf(slot) === id ? slot : undefined;
  }

  /** Adds a pet, or replaces it. @param before the traits with which it is in the index; undefined if it is not */
  put(pet: IndexedPet, before: PetTraits | undefined): void {
    const known = before === undefined ? undefined : this.find(pet.id);
    const slot = known ?? this.#newSlot();
    const words = wordsOf(pet.traits.name);
    const nameKey = nameKeyOf(words);
    const isMoved = known === undefined || nameKey !== this.nameKeyOf(slot);
    if (known !== undefined && isMoved) this.orders.name.delete(slot);
    const { intakeDay } = pet.traits.profile ?? NO_DATES;
    const isOtherStay = intakeDay !== this.intakeDayOf(slot);
    if (isOtherStay && this.intakeDayOf(slot) !== 0) this.byStay.delete(slot);
    this.#ids.set(slot, pet.id);
    this.#versions.set(slot, Number(pet.version));
    // Stays the same until the pet is deleted or published, as its place in the order does.
    const isAdded = known === undefined || (isDraft(before) && !isDraft(pet.traits));
    if (known !== undefined && isAdded) this.orders.newest.delete(slot);
    if (isAdded) this.#addedVersions.set(slot, Number(pet.addedVersion));
    this.#changedAtMs.set(slot, pet.changedAtMs);
    if (isMoved) this.#nameKeys.set(slot, nameKey);
    if (isMoved) this.orders.name.add(slot);
    if (known === undefined) this.orders.id.add(slot);
    if (isAdded) this.orders.newest.add(slot);
    this.#setDates(slot, pet.traits);
    if (isOtherStay && intakeDay !== 0) this.byStay.add(slot);
    this.#replaceTraits(slot, before, pet.traits, words);
  }

  /** Adds a pet to an index that is being built, by ascending id. The index can be searched after `complete`. */
  append(pet: IndexedPet): void {
    const slot = this.#newSlot();
    const words = wordsOf(pet.traits.name);
    this.#ids.set(slot, pet.id);
    this.#versions.set(slot, Number(pet.version));
    this.#addedVersions.set(slot, Number(pet.addedVersion));
    this.#changedAtMs.set(slot, pet.changedAtMs);
    this.#nameKeys.set(slot, nameKeyOf(words));
    this.#setDates(slot, pet.traits);
    this.orders.id.add(slot);
    this.#replaceTraits(slot, undefined, pet.traits, words);
  }

  /** Sorts the pets that were appended. @param pause called after each step */
  async complete(pause: () => Promise<void>): Promise<void> {
    const beginnings = new Float64Array(this.#slotCount);
    for (const slot of beginnings.keys()) beginnings[slot] = this.#nameKeys.beginningOf(slot);
    // Slots ascend by id.
    const byName = (a: number, b: number) =>
      (beginnings[a] as number) - (beginnings[b] as number) || this.#nameKeys.compare(a, b) || a - b;
    await this.orders.name.fill(this.#slots(), byName, pause);
    const byAddition = (a: number, b: number) => this.addedVersionOf(b) - this.addedVersionOf(a);
    await this.orders.newest.fill(this.#slots(), byAddition, pause);
    const byStay = (a: number, b: number) => this.intakeDayOf(a) - this.intakeDayOf(b) || a - b;
    await this.byStay.fill(listOf(this.facts.get(HAS_INTAKE_DATE)).slice(), byStay, pause);
    for (const words of this.vocabularies()) {
      words.sort();
      await pause();
    }
  }

  /** @param before the traits with which the pet is in the index */
  delete(id: bigint, before: PetTraits): void {
    const slot = this.find(id);
    if (slot === undefined) return;
    for (const order of ORDERS) this.orders[order].delete(slot);
    if (this.intakeDayOf(slot) !== 0) this.byStay.delete(slot);
    this.#replaceTraits(slot, before, undefined, []);
    this.#nameKeys.set(slot, '');
    this.#setDates(slot, undefined);
    this.#freeSlots.push(slot);
  }

  /** The words of names, and those of labels. */
  vocabularies(): readonly (Vocabulary | Labels)[] {
    return [this.nameWords, ...this.allLabels()];
  }

  allLabels(): readonly Labels[] {
    return LABEL_KINDS.map((kind) => this.labels[kind]);
  }

  /** The pets with a word that begins so, in the name or a label. */
  withPrefix(prefix: string): Slots {
    return unionOf(this.vocabularies().map((words) => words.withPrefix(prefix)));
  }

  /** The number of pets with this word in the name, plus those with it in a label. @param hidden pets not to count */
  countOfWord(word: string, hidden: Slots | undefined): number {
    const ofNames = this.nameWords.countOf(word, hidden);
    return this.allLabels().reduce((sum, labels) => sum + labels.countOfWord(word, hidden), ofNames);
  }

  /** The drafts, if there are any. @param published whether a search is for pets that are no drafts */
  hidden(published: boolean | undefined): Slots | undefined {
    return published === true && this.facts.has(DRAFT) ? this.facts.get(DRAFT) : undefined;
  }

  /** @param slots undefined for all pets */
  without(slots: Slots | undefined, others: Slots): Slots {
    return difference(slots ?? this.statuses.unionOf([...this.statuses.keys()]), others);
  }

  idOf(slot: number): bigint {
    return this.#ids.get(slot);
  }

  versionOf(slot: number): bigint {
    return BigInt(this.#versions.get(slot));
  }

  addedVersionOf(slot: number): number {
    return this.#addedVersions.get(slot);
  }

  changedAtMsOf(slot: number): number {
    return this.#changedAtMs.get(slot);
  }

  intakeDayOf(slot: number): number {
    return this.#intakeDays.get(slot);
  }

  /** The day of birth with the species, and the intake date; 0 if unknown. */
  datesOf(slot: number): readonly [birth: number, intakeDay: number] {
    return [this.#births.get(slot), this.#intakeDays.get(slot)];
  }

  nameKeyOf(slot: number): string {
    return this.#nameKeys.get(slot);
  }

  /** Returns a function that tests whether a slot is not after this place in the order by name. */
  createNameCheck({ nameKey, id }: Pick<Place, 'nameKey' | 'id'>): (slot: number) => boolean {
    const key = this.#nameKeys.encode(nameKey);
    return (slot) => {
      const difference = this.#nameKeys.compareTo(slot, key);
      return difference < 0 || (difference === 0 && this.idOf(slot) <= id);
    };
  }

  placeOf(slot: number): Place {
    return {
      id: this.idOf(slot),
      nameKey: this.nameKeyOf(slot),
      addedVersion: this.addedVersionOf(slot),
      intakeDay: this.intakeDayOf(slot),
    };
  }

  /** The pets that were changed then or later. */
  changedSince(sinceMs: number): Slots {
    const bits = new Uint32Array((this.#slotCount >>> 5) + 1);
    for (let slot = 0; slot < this.#slotCount; slot++) if (this.#changedAtMs.get(slot) >= sinceMs) setBit(bits, slot);
    for (const slot of this.#freeSlots) bits[slot >>> 5] = (bits[slot >>> 5] as number) & ~(1 << (slot & 31));
    return { bits };
  }

  /** The pets of each age group. @param todayMs a time on the day, in UTC */
  ageSets(todayMs: number): Readonly<Record<AgeGroup, Slots>> {
    const day = Math.floor(todayMs / DAY_MS);
    if (this.#ages?.day !== day) this.#ages = { day, sets: ageSetsOf(this.#births.toData(), todayMs) };
    return this.#ages.sets;
  }

  toData(): PetIndexData {
    return {
      slotCount: this.#slotCount,
      freeSlots: this.#freeSlots,
      ids: this.#ids.toData(),
      versions: this.#versions.toData(),
      addedVersions: this.#addedVersions.toData(),
      changedAtMs: this.#changedAtMs.toData(),
      nameKeys: this.#nameKeys.toData(),
      births: this.#births.toData(),
      intakeDays: this.#intakeDays.toData(),
      orders: {
        id: this.orders.id.toSorted(),
        name: this.orders.name.toSorted(),
        newest: this.orders.newest.toSorted(),
      },
      byStay: this.byStay.toSorted(),
      nameWords: this.nameWords.toData(),
      statuses: this.statuses.toData(),
      facts: this.facts.toData(),
      labels: {
        category: this.labels.category.toData(),
        tag: this.labels.tag.toData(),
        breed: this.labels.breed.toData(),
      },
    };
  }

  #slots(): Uint32Array {
    return Uint32Array.from({ length: this.#slotCount }, (_, slot) => slot);
  }

  #newSlot(): number {
    return this.#freeSlots.pop() ?? this.#slotCount++;
  }

  #setDates(slot: number, traits: PetTraits | undefined): void {
    const { birth, intakeDay } = traits?.profile ?? NO_DATES;
    if (birth !== this.#births.get(slot)) this.#ages = undefined;
    this.#births.set(slot, birth);
    this.#intakeDays.set(slot, intakeDay);
  }

  /** @param nameWords the words of the name now */
  #replaceTraits(
    slot: number,
    before: PetTraits | undefined,
    now: PetTraits | undefined,
    nameWords: readonly string[],
  ): void {
    this.nameWords.replace(before === undefined ? [] : wordsOf(before.name), nameWords, slot);
    this.statuses.replace(statusesOf(before), statusesOf(now), slot);
    this.labels.category.replace(categoriesOf(before), categoriesOf(now), slot);
    this.labels.tag.replace(before?.tagNames ?? [], now?.tagNames ?? [], slot);
    this.labels.breed.replace(before?.profile?.breedNames ?? [], now?.profile?.breedNames ?? [], slot);
    this.facts.replace(before?.profile?.facts ?? [], now?.profile?.facts ?? [], slot);
    if (!this.similarWords.isInUse) return;
    for (const traits of [before, now]) if (traits !== undefined) this.similarWords.change(allWordsOf(traits));
  }
}
