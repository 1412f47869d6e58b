import { Mail } from 'lucide-react';
import type { StaffLink } from '../../../web/features/web-feature.ts';

export const ENQUIRIES_LINK: StaffLink = {
  to: '/enquiries',
  feature: 'enquiries',
  permission: 'handle enquiries',
  Icon: Mail,
  labelIn: (t) => t('enquiries.title'),
};
