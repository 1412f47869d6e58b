import { Mail } from 'lucide-react';
import type { StaffLink } from '../../../web/features/web-feature.ts';
import { extraPart } from '../../../web/service/browser.ts';

export const ENQUIRIES_LINK: StaffLink = {
  to: '/enquiries',
  feature: 'enquiries',
  permission: 'handle enquiries',
  Icon: Mail,
  labelIn: (t) => t('enquiries.title'),
  Count: extraPart(async () => (await import('./staff/new-count.tsx')).NewCount),
};
