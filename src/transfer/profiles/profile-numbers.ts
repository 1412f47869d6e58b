/* Numbers in cells, also with units and currencies. 1.250 is refused: it may be a fraction or thousands. */

const NUMBER = /^[+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?$/i;
const PERHAPS_THOUSANDS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;
/** Thousands and a fraction: the last separator is that of the fraction. */
const BOTH_SEPARATORS = /^[+-]?\d{1,3}(?:(?:,\d{3})+\.\d{1,2}|(?:\.\d{3})+,\d{1,2})$/;

export function numberCell(value: number | bigint): string {
  const text = String(value);
  return PERHAPS_THOUSANDS.test(text) ? `${text}0` : text;
}

/** Undefined for another text, and an ambiguous one. */
export function readNumber(text: string): number | undefined {
  if (BOTH_SEPARATORS.test(text)) return Number(text.replaceAll(/[.,](?=.*[.,])/g, '').replace(',', '.'));
  return NUMBER.test(text) && !PERHAPS_THOUSANDS.test(text) ? Number(text.replace(',', '.')) : undefined;
}

export type WeightUnit = 'kg' | 'lb' | 'oz' | 'g';

const KG_PER: Readonly<Record<WeightUnit, number>> = { kg: 1, g: 0.001, lb: 0.453_592_37, oz: 0.028_349_523_125 };

const UNIT_WORDS: ReadonlyMap<string, WeightUnit> = new Map(
  Object.entries({
    kg: 'kg kgs kilo kilos kilogram kilograms kilogramm',
    g: 'g gr gram grams gramm',
    lb: 'lb lbs pound pounds',
    oz: 'oz ounce ounces',
  }).flatMap(([unit, words]) => words.split(' ').map((word) => [word, unit as WeightUnit] as const)),
);

/** The unit in the name of a column, such as `Weight (lbs)` or `weightKg`. */
export function unitIn(name: string): WeightUnit | undefined {
  const words =
    name
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const unit = words.map((word) => UNIT_WORDS.get(word)).find((each) => each !== undefined);
  // Where German is spoken, weights are in kilograms.
  return unit ?? (words.some((word) => word.includes('gewicht')) ? 'kg' : undefined);
}

const QUANTITY = /^([\d.,]+) ?(\p{L}+)\.?$/u;
const QUANTITIES = /[\d.,]{1,12} ?\p{L}{1,10}\.?/gu;

/**
 * A weight in kilograms, such as `62.5 lbs` or `8 lb 9 oz`; undefined for another text.
 *
 * @param unit of a number without one
 */
export function readWeight(text: string, unit: WeightUnit | undefined): number | undefined {
  const plain = readNumber(text);
  if (plain !== undefined) return unit && rounded(plain * KG_PER[unit]);
  const parts = text.match(QUANTITIES) ?? [];
  if (parts.length === 0 || text.replaceAll(QUANTITIES, '').replaceAll(/and|und|[ ,]/gi, '') !== '') return undefined;
  const weights = parts.map((part) => {
    const [, digits = '', word = ''] = QUANTITY.exec(part) ?? [];
    const [number, known] = [readNumber(digits), UNIT_WORDS.get(word.toLowerCase())];
    return number === undefined || known === undefined ? undefined : number * KG_PER[known];
  });
  return rounded(weights.reduce((sum = Number.NaN, weight = Number.NaN) => sum + weight, 0) ?? Number.NaN);
}

/** A weight in another unit, exact to the gram. */
export function weightIn(unit: WeightUnit, kilograms: number): number {
  return Math.round((kilograms / KG_PER[unit]) * 1000) / 1000;
}

/** Weights are exact to the gram. */
function rounded(weight: number): number | undefined {
  return Number.isNaN(weight) ? undefined : Math.round(weight * 1000) / 1000;
}

const SYMBOLS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' };

/** An amount such as `$150.00` or `150 €`, and its currency if the text names one. */
export function readAmount(text: string): { amount: number; currency: string | undefined } | undefined {
  const [, before = '', digits = '', after = ''] =
    /^([\p{Sc}\p{L}]{0,3}\p{Sc}?) ?([\d.,]*\d)(?:,-|\.-)? ?([\p{Sc}\p{L}]{0,4})$/u.exec(text) ?? [];
  const amount = readNumber(digits);
  const mark = before + after;
  if (amount === undefined || (before !== '' && after !== '')) return undefined;
  if (mark === '' || mark === '$') return { amount, currency: undefined };
  const currency = SYMBOLS[mark] ?? (mark.toLowerCase() === 'euro' ? 'EUR' : mark.replace('US$', 'USD').toUpperCase());
  return /^[A-Z]{3}$/.test(currency) ? { amount, currency } : undefined;
}
