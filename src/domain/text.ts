/**
 * Names, categories and tags as they are stored and compared: without outer spaces, and in NFC, so that texts that look the same are equal. Pets of earlier
 * versions may have others, so what is compared with stored texts is converted first.
 */
export function canonicalText(text: string): string {
  return text.trim().normalize('NFC');
}

/** The forms in which a stored text may be that equals this one: as it is stored now, and as earlier versions stored it. */
export function storedForms(text: string): readonly string[] {
  const canonical = canonicalText(text);
  return [...new Set([canonical, canonical.normalize('NFD'), text])];
}
