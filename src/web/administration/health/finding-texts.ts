import { FEATURE_FINDINGS } from '../../../features/texts/findings-de.ts';
import { useLanguage } from '../../texts/loaded-texts.ts';
import { merged } from '../../features/merged-texts.ts';
import german from './german-findings.json';
import { CHECK_TITLES } from '../../../api/web/health-checks.ts';
import type { FindingView, HealthView } from '../admin-queries.ts';

const GERMAN = merged(german, ...FEATURE_FINDINGS);

type Check = NonNullable<HealthView['running']>['check'];

/** The texts of findings. English ones come from the service; this page alone needs the others. */
export function useFindingTexts() {
  const language = useLanguage();
  return {
    titleOf: (check: Check): string => (language === 'de' ? GERMAN.checks[check] : CHECK_TITLES[check]),
    textsOf: ({ problem, message, advice, count, detail }: FindingView): { message: string; advice: string } => {
      if (language === 'en' || problem === null) return { message, advice };
      const texts = GERMAN.problems[problem];
      const filled = (text: string) => text.replace('{count}', String(count)).replace('{detail}', () => detail ?? '');
      return { message: filled(texts.message), advice: filled(texts.advice) };
    },
  };
}
