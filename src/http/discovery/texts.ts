import type { Language } from '../../api/web/languages.ts';
import { GERMAN_WORDS } from '../../api/words/german-words.ts';
import { ENGLISH_WORDS } from '../../api/words/words.ts';
import type { FactWords } from '../../api/web/short-facts.ts';
import type { PetStatus } from '../../domain/pets/pet.ts';

/* Texts for readers outside the application: search engines, link previews and feeds. */

interface DiscoveryTexts {
  /** The heading of the catalogue. */
  catalogue: string;
  lookingForHome: string;
  unnamed: string;
  newest: string;
  /** The note on pages that need scripts, with a link to the catalogue. */
  needsScripts: string;
  /** The page of the organisation, and what it has. */
  about: string;
  aboutText: string;
  status: Readonly<Record<PetStatus, (name: string) => string>>;
  facts: FactWords;
}

export const TEXTS: Readonly<Record<Language, DiscoveryTexts>> = {
  en: {
    catalogue: 'Meet the pets',
    lookingForHome: 'Pets looking for a home, with photos.',
    unnamed: 'Unnamed',
    newest: 'Newest pets',
    needsScripts: 'This page requires JavaScript.',
    about: 'About us',
    aboutText: 'Who we are, how an adoption works, and how to contact us.',
    status: {
      available: (name) => `${name} is looking for a home.`,
      pending: (name) => `${name} is reserved.`,
      sold: (name) => `${name} was adopted.`,
    },
    facts: { ...ENGLISH_WORDS, female: 'female', male: 'male' },
  },
  de: {
    catalogue: 'Unsere Tiere',
    lookingForHome: 'Tiere, die ein Zuhause suchen, mit Fotos.',
    unnamed: 'Ohne Namen',
    newest: 'Neueste Tiere',
    needsScripts: 'Diese Seite braucht JavaScript.',
    about: 'Über uns',
    aboutText: 'Wer wir sind, wie eine Adoption abläuft, und wie man uns erreicht.',
    status: {
      available: (name) => `${name} sucht ein Zuhause.`,
      pending: (name) => `${name} ist reserviert.`,
      sold: (name) => `${name} wurde vermittelt.`,
    },
    facts: { ...GERMAN_WORDS, female: 'weiblich', male: 'männlich' },
  },
};
