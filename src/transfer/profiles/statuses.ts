import type { PetStatus } from '../../domain/pets/pet.ts';
import { spellingKey } from '../../domain/text.ts';
import { LEFT_OUT, type LeftOut } from './left-out.ts';

/* The words of files for the status of a pet, also with qualifiers, such as `Available - In Foster`. */

/** The words for each status in the API, on pages and of other programs, in English and German. */
const WORDS: Readonly<Record<PetStatus | '', string>> = {
  available:
    'available|looking for a home|zu vermitteln|sucht ein zuhause|verfügbar|adoptable|available for adoption|' +
    'ready for adoption|a|up for adoption|listed|for adoption|zur vermittlung|in vermittlung|vermittelbar',
  pending:
    'pending|adoption in progress|reserved|reserviert|vermittlung läuft|adoption pending|pending adoption|on hold|hold|' +
    'application pending|pre-adopted|trial adoption|h|foster to adopt|adoption trial|vorgemerkt|probewohnen',
  sold:
    'sold|adopted|living in a new home|vermittelt|hat ein neues zuhause|verkauft|adoption|adoption complete|' +
    'adoption completed|adoption finalized|rehomed|x|re-homed|placed|in home|in new home|in adoptive home|' +
    'healthy in home',
  '': 'no status|no status set|kein status|kein status festgelegt',
};

/** The words for pets that other programs keep, but that are not to be adopted. */
const LEFT_OUT_WORDS: Readonly<Partial<Record<LeftOut, string>>> = {
  deceased:
    'deceased|died|dead|passed away|died in care|unassisted death|euthanized|euthanised|euthanasia|put to sleep|' +
    'rainbow bridge|gestorben|verstorben|tot|eingeschläfert',
  transferred:
    'transferred|transferred out|transfer out|transfer|returned to owner|return to owner|rto|reclaimed|released|' +
    'released by agency|released to colony|released to wild|service out|clinic out|escaped|' +
    'stolen|missing|abgegeben|übergeben|zurück an besitzer|entlaufen',
  'not-for-adoption':
    'not available|unavailable|not for adoption|not adoptable|not available for adoption|quarantine|quarantined|in quarantine|' +
    'free-roaming|sanctuary|permanent resident|permanent foster|court case|protective custody|nicht vermittelbar|' +
    'nicht zu vermitteln|gnadenplatz|dauerpflege|quarantäne',
  deleted: 'deleted|removed|archived|duplicate|gelöscht|archiviert',
};

const MEANINGS = new Map(
  Object.entries({ ...WORDS, ...LEFT_OUT_WORDS }).flatMap(([meaning, list]) =>
    list.split('|').map((word) => [word, meaning] as const),
  ),
);

/** If the parts of a text mean several, the first of these holds: a pet that is `Adoptable (pending)` is pending. */
const STRENGTHS: readonly string[] = [...LEFT_OUT.toReversed(), 'sold', 'pending', 'available', ''];

/** Short words that say something only alone. */
const ONLY_ALONE = /^(?:.|adoption|on|off)$/;

/**
 * The status that a word means, in any case; empty for none. An unknown word is returned unchanged. `leftOut` says why
 * an animal with this word is not to be adopted.
 */
export function readStatus(word: string): { status: string; leftOut: LeftOut | undefined } {
  const meaning = MEANINGS.get(spellingKey(word)) ?? meaningOfParts(word);
  const leftOut = LEFT_OUT.find((each) => each === meaning);
  return { status: meaning === undefined || leftOut !== undefined ? word : meaning, leftOut };
}

function meaningOfParts(word: string): string | undefined {
  const parts = word.split(/[()[\];,:/|]| [-–—] |--/).map(spellingKey);
  const meanings = parts.filter((part) => !ONLY_ALONE.test(part)).map(meaningOfPart);
  return STRENGTHS.find((each) => meanings.includes(each));
}

/** The words after one of these add circumstances: Adopted Offsite, Euthanized During Stray Hold Time. */
const OUTCOME = /^(?:adopted|rehomed|deceased|died|euthani[sz]ed|unassisted death)(?= )/;

function meaningOfPart(part: string): string | undefined {
  // Another hold than for an adopter, such as Medical Hold, says that the pet is not available yet.
  if (/(?:^| )hold(?: for |$)/.test(part)) return 'pending';
  const [word = ''] = OUTCOME.exec(part) ?? part.split(/ (?:in|at|im|bei) /, 1);
  return MEANINGS.get(part) ?? MEANINGS.get(word);
}
