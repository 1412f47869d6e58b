/** The texts of messages about saved searches in one language. */
export interface SearchTexts {
  confirmation: {
    subject: (site: string) => string;
    before: (site: string) => string;
    action: string;
    after: (expires: string) => readonly string[];
  };
  matches: {
    /** With the number of all new matches. */
    subject: (site: string, count: number) => string;
    /** With the number of pets that are listed. */
    before: (count: number) => string;
    /** The number of pets that are not listed. */
    more: (count: number) => string;
    results: string;
    ends: (day: string) => string;
    manage: string;
  };
  species: Readonly<Record<string, string>>;
}

export const ENGLISH: SearchTexts = {
  confirmation: {
    subject: (site) => `Confirm your search at ${site}`,
    before: (site) => `New pets for a search at ${site} are to be sent to this address.`,
    action: 'Confirm the search',
    after: (expires) => [
      `The link works until ${expires}.`,
      'If you have not requested this, ignore this message: nothing is sent without a confirmation.',
    ],
  },
  matches: {
    subject: (site, count) => (count === 1 ? `A new pet at ${site}` : `${count} new pets at ${site}`),
    before: (count) =>
      count === 1
        ? 'This pet matches your search, and looks for a home:'
        : 'These pets match your search, and look for a home:',
    more: (count) => (count === 1 ? 'One more matches your search.' : `${count} more match your search.`),
    results: 'View all results',
    ends: (day) => `You have confirmed this search. It ends on ${day}, unless you keep it.`,
    manage: 'Stop this search, or keep it for another year',
  },
  species: {
    dog: 'dog',
    cat: 'cat',
    rabbit: 'rabbit',
    'small-furry': 'small animal',
    horse: 'horse',
    bird: 'bird',
    'reptile-other': 'reptile or other',
    barnyard: 'farm animal',
  },
};

export const GERMAN: SearchTexts = {
  confirmation: {
    subject: (site) => `Bestätigen Sie Ihre Suche bei ${site}`,
    before: (site) => `Neue Tiere zu einer Suche bei ${site} sollen an diese Adresse geschickt werden.`,
    action: 'Suche bestätigen',
    after: (expires) => [
      `Der Link gilt bis ${expires}.`,
      'Wenn Sie das nicht angefordert haben, ignorieren Sie diese Nachricht: Ohne Bestätigung wird nichts verschickt.',
    ],
  },
  matches: {
    subject: (site, count) => (count === 1 ? `Ein neues Tier bei ${site}` : `${count} neue Tiere bei ${site}`),
    before: (count) =>
      count === 1
        ? 'Dieses Tier passt zu Ihrer Suche und sucht ein Zuhause:'
        : 'Diese Tiere passen zu Ihrer Suche und suchen ein Zuhause:',
    more: (count) => (count === 1 ? 'Ein weiteres passt zu Ihrer Suche.' : `${count} weitere passen zu Ihrer Suche.`),
    results: 'Alle Ergebnisse anzeigen',
    ends: (day) => `Sie haben diese Suche bestätigt. Sie endet am ${day}, wenn Sie sie nicht verlängern.`,
    manage: 'Suche beenden oder um ein Jahr verlängern',
  },
  species: {
    dog: 'Hund',
    cat: 'Katze',
    rabbit: 'Kaninchen',
    'small-furry': 'Kleintier',
    horse: 'Pferd',
    bird: 'Vogel',
    'reptile-other': 'Reptil oder anderes Tier',
    barnyard: 'Hoftier',
  },
};
