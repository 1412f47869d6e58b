import { readWeight } from '../../../transfer/profiles/profile-numbers.ts';

/*
 * Weights as they are typed, in pounds or kilograms. The form has kilograms, as the service does.
 */

type Unit = 'kg' | 'lb';

/** The kilograms of a text such as `61.7`, `8 lb 9 oz` or `28 kg`; another text stays, and is refused. */
export function kilogramsText(text: string, unit: Unit): string {
  const typed = text.trim();
  // In a form, 1.250 has one meaning.
  const plain = /^\d+[.,]\d+$/.test(typed) ? Number(typed.replace(',', '.')).toFixed(4) : typed;
  const kilograms = readWeight(plain, unit);
  return kilograms === undefined ? typed : String(kilograms);
}

const OUNCES_PER_KG = 1 / 0.028_349_523_125;

/** The text that was typed for this weight, or a near one. @param kilograms as the form has them */
export function typedWeight(kilograms: string, unit: Unit): string {
  const ounces = Number(kilograms) * OUNCES_PER_KG;
  if (unit === 'kg' || kilograms === '' || Number.isNaN(ounces)) return kilograms;
  const whole = Math.round(ounces);
  const texts =
    ounces < 16
      ? [`${rounded(ounces, 1)} oz`]
      : [rounded(ounces / 16, 1), `${Math.floor(whole / 16)} lb ${whole % 16} oz`, rounded(ounces / 16, 2)];
  return texts.find((text) => kilogramsText(text, unit) === kilograms) ?? texts.at(-1) ?? '';
}

/** With its unit. @param kilograms as the form has them */
export function weightWithUnit(kilograms: string, unit: Unit): string {
  const typed = typedWeight(kilograms, unit);
  return /\d$/.test(typed) ? `${typed} ${unit}` : typed;
}

function rounded(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
