/** Equal for words that differ only in case, accents, spaces and punctuation: `Bichon Frisé`, `bichon frise`. */
export function wordKey(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
