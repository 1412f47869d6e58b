type Texts = { readonly [key: string]: string | Texts };

type All<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer I) => void ? I : never;

/** The texts with those of features, which are in the same places. */
export function merged<Core extends object, Added extends readonly object[]>(core: Core, ...added: Added) {
  return added.reduce<Texts>((texts, more) => join(texts, more as Texts), core as Texts) as Core & All<Added[number]>;
}

function join(texts: Texts, more: Texts): Texts {
  const entries = Object.entries(more).map(([key, text]) => {
    const known = texts[key];
    return [key, typeof known === 'object' && typeof text === 'object' ? join(known, text) : text] as const;
  });
  return { ...texts, ...Object.fromEntries(entries) };
}
