/** An age in the largest unit that says enough. */
export interface Age {
  unit: 'day' | 'week' | 'month' | 'year';
  count: number;
}

const DAY_MS = 86_400_000;

/** Below this age in days, weeks say more than months. */
const MIN_MONTHS_DAYS = 60;

/** @param birthDate such as `2024-11-26`, not in the future */
export function ageOf(birthDate: string, nowMs: number): Age {
  const [born, now] = [new Date(`${birthDate}T00:00:00Z`), new Date(nowMs)];
  const days = Math.max(0, Math.floor((nowMs - born.getTime()) / DAY_MS));
  if (days < 14) return { unit: 'day', count: days };
  if (days < MIN_MONTHS_DAYS) return { unit: 'week', count: Math.floor(days / 7) };
  const months =
    (now.getUTCFullYear() - born.getUTCFullYear()) * 12 +
    (now.getUTCMonth() - born.getUTCMonth()) -
    (now.getUTCDate() < born.getUTCDate() ? 1 : 0);
  return months < 12 ? { unit: 'month', count: months } : { unit: 'year', count: Math.floor(months / 12) };
}

/** Such as `2 years` or `5 Monate`. */
export function ageText({ unit, count }: Age, locale: string): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
