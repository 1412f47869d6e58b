/**
 * Names, categories and tags as they are stored and compared: without outer spaces, and in NFC, so that texts that look
 * the same are equal. Pets of earlier versions may have others, so what is compared with stored texts is converted
 * first.
 */
export function canonicalText(text: string): string {
  return text.trim().normalize('NFC');
}

/**
 * The forms in which a stored text may be that equals this one: as it is stored now, and as earlier versions stored it.
 */
export function storedForms(text: string): readonly string[] {
  const canonical = canonicalText(text);
  return [...new Set([canonical, canonical.normalize('NFD'), text])];
}

/**
 * The text in NFKC with Unicode case folding: equal for texts that differ only in case, or in compatible characters.
 */
export function foldedText(text: string): string {
  if (/^[\0-\x7F]*$/.test(text)) return text.toLowerCase();
  return foldCase(foldCase(text).normalize('NFKC')).normalize('NFKC');
}

/** Equal for names that differ only in case, normalization form, or spaces. */
export function spellingKey(name: string): string {
  return foldedText(canonicalText(name).replaceAll(/\s+/g, ' '));
}

/**
 * JavaScript has no case folding. The lower case of the upper case of a character is its case folding, except for the
 * dotless i. Folds character by character, because a sigma at the end of a word has another lower case.
 */
function foldCase(text: string): string {
  return Array.from(text, (character) =>
    character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase(),
  ).join('');
}
