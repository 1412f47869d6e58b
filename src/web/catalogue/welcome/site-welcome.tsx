import { useQuery } from '@tanstack/react-query';
import { bootstrap } from '../../service/bootstrap.ts';
import { usePermissions } from '../../service/current-user.ts';
import { organisationQuery } from '../../service/queries.ts';
import { Welcome } from './welcome.tsx';

/** Not for staff, who come to work on the pets. */
export function SiteWelcome() {
  const { writePets } = usePermissions();
  const { site } = bootstrap;
  const { data } = useQuery({ ...organisationQuery, enabled: !writePets && site.isDescribed === true });
  return writePets || data === undefined || site.isDescribed === undefined ? null : (
    <Welcome organisation={data.organisation} site={site} />
  );
}
