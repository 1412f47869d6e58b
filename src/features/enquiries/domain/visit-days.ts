import type { FieldProblem } from '../../../domain/failure.ts';
import { isDate } from '../../../domain/organisation/own-values.ts';
import type { EnquiryLanguage, GivenAnswer } from './enquiry.ts';

/* The days on which a person could visit the pet. They are stored as an answer, which staff read like the others. */

export const VISIT_DAYS = { most: 3, daysAhead: 180 } as const;

/** No question of a shelter can have this ID: those have letters and digits only. */
const ID = 'visit-days';

const QUESTION: Readonly<Record<EnquiryLanguage, string>> = {
  en: 'Days on which a visit is possible',
  de: 'Mögliche Tage für einen Besuch',
};

const LOCALE: Readonly<Record<EnquiryLanguage, string>> = { en: 'en-GB', de: 'de-DE' };

const DAY_MS = 24 * 3_600_000;

/**
 * @param sent such as `2026-12-05`
 * @param language that of the shelter
 */
export function checkVisitDays(
  sent: readonly string[],
  language: EnquiryLanguage,
  nowMs: number,
): { answers: readonly GivenAnswer[]; problems: readonly FieldProblem[] } {
  // The day may have ended here, and go on where the person lives.
  const [first, last] = [nowMs - DAY_MS, nowMs + VISIT_DAYS.daysAhead * DAY_MS].map(dayOf) as [string, string];
  const problems = sent.flatMap((day, index) =>
    isDate(day) && day >= first && day <= last
      ? []
      : [
          {
            path: `/visitDays/${index}`,
            message: `must be a date from today to ${VISIT_DAYS.daysAhead} days ahead, such as ${dayOf(nowMs)}`,
          },
        ],
  );
  if (problems.length > 0 || sent.length === 0) return { answers: [], problems };
  const format = new Intl.DateTimeFormat(LOCALE[language], { dateStyle: 'full', timeZone: 'UTC' });
  const days = [...new Set(sent)].toSorted().map((day) => format.format(Date.parse(day)));
  return { answers: [{ id: ID, question: QUESTION[language], answer: days.join(' · ') }], problems };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
