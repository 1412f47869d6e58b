import { useTranslations } from 'use-intl';
import type { EnquiryState } from '../../api/enquiry-rules.ts';
import { Badge, type Tone } from '../../../../web/design/badge.tsx';

const TONES: Readonly<Record<EnquiryState, Tone>> = { new: 'pending', answered: 'available', closed: 'neutral' };

export function StateBadge({ state }: { state: EnquiryState }) {
  const t = useTranslations('enquiries');
  return <Badge tone={TONES[state]}>{t(`states.${state}`)}</Badge>;
}
