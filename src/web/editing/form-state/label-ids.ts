import { canonicalText } from '../../../api/web/catalogue-search.ts';
import { client } from '../../service/client.ts';
import type { PetView } from '../../service/queries.ts';
import type { FormLabel, PetFields } from './pet-fields.ts';

/*
 * In Petstore, categories and tags have an optional ID beside their name. A name entered in the form gets the ID that
 * other pets use with it, if any.
 */

/**
 * Returns the fields with IDs for the categories and tags that are new to the pet.
 *
 * @throws MenagerieError, NetworkError
 */
export async function withKnownIds(fields: PetFields, before: PetFields): Promise<PetFields> {
  const known = new Set([before.category, ...before.tags]);
  const isNew = (label: FormLabel) => label.id === undefined && ![...known].some((each) => each?.name === label.name);
  const withId = async (label: FormLabel, find: typeof findCategory) => {
    const id = isNew(label) && label.name !== undefined ? await find(label.name) : undefined;
    return id === undefined ? label : { ...label, id: String(id) };
  };
  const [category, tags] = await Promise.all([
    fields.category && withId(fields.category, findCategory),
    Promise.all(fields.tags.map((tag) => withId(tag, findTag))),
  ]);
  return { ...fields, category, tags };
}

async function findCategory(name: string): Promise<bigint | undefined> {
  const pet = await findOne({ category: [name] });
  return isSame(pet?.category?.name, name) ? pet?.category?.id : undefined;
}

async function findTag(name: string): Promise<bigint | undefined> {
  const pet = await findOne({ tags: [name] });
  return pet?.tags?.find((tag) => isSame(tag.name, name))?.id;
}

async function findOne(question: { category?: string[]; tags?: string[] }): Promise<PetView | undefined> {
  const { pets } = await client.findPets({ ...question, limit: 1 });
  return pets[0];
}

/** Pets of earlier versions may have the name in another normalization form. */
function isSame(stored: string | undefined, name: string): boolean {
  return stored !== undefined && canonicalText(stored) === canonicalText(name);
}
