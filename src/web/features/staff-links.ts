import { FEATURE_LINKS } from '../../features/staff-links.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { may, useCurrentUser } from '../service/current-user.ts';
import type { StaffLink } from './web-feature.ts';

const LINKS: readonly StaffLink[] = FEATURE_LINKS;

/** The links that the user may follow. @param isOn whether an administrator has turned on their features */
export function useStaffLinks(isOn: boolean): readonly StaffLink[] {
  const currentUser = useCurrentUser();
  const { features = [] } = bootstrap.site;
  return LINKS.filter(({ feature, permission }) => may(currentUser, permission) && features.includes(feature) === isOn);
}
