import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { factorsQuery } from '../../account/factors/factor-queries.ts';
import { reader } from '../../service/client.ts';
import { useCurrentUser } from '../../service/current-user.ts';
import { organisationQuery, PETS_KEY } from '../../service/queries.ts';
import { backupsQuery, systemQuery, usersQuery } from '../admin-queries.ts';

/** The open steps of a new service, in their order. */
export const STEPS = ['organisation', 'logo', 'pet', 'user', 'factor', 'mail', 'backup', 'address'] as const;
export type Step = (typeof STEPS)[number];

const petCountQuery = queryOptions({
  queryKey: [...PETS_KEY, 'count-all'],
  queryFn: async ({ signal }) => (await reader.findPets({ limit: 1, covers: false }, { signal })).total,
});

/** The steps that are not done. Undefined while that is read; a step whose state cannot be read is left out. */
export function useOpenSteps(): readonly Step[] | undefined {
  const hasAccount = useCurrentUser() !== null;
  const organisation = useQuery(organisationQuery);
  const pets = useQuery(petCountQuery);
  const users = useInfiniteQuery(usersQuery({}));
  const factors = useQuery({ ...factorsQuery, enabled: hasAccount });
  const backups = useQuery(backupsQuery);
  const system = useQuery(systemQuery);
  const reads = [organisation, pets, users, backups, system, ...(hasAccount ? [factors] : [])];
  if (reads.some(({ isPending }) => isPending)) return undefined;
  const { name, logo, contact, locations = [] } = organisation.data?.organisation ?? {};
  const addresses = system.data?.settings.filter(
    (setting) => setting.name === 'public-url' || setting.name === 'domain',
  );
  const isOpen: Readonly<Record<Step, boolean>> = {
    organisation:
      organisation.data !== undefined &&
      (name === undefined || (contact?.address === undefined && locations.length === 0)),
    logo: organisation.data !== undefined && logo === undefined,
    pet: pets.data === 0,
    user: users.data !== undefined && users.data.pages.flatMap(({ items }) => items).length < 2,
    factor: factors.data !== undefined && factors.data.totp === undefined && factors.data.passkeys.length === 0,
    mail: system.data !== undefined && system.data.mail === undefined,
    backup: backups.data !== undefined && backups.data.place === undefined,
    address: addresses?.every(({ source }) => source === 'default') === true,
  };
  return STEPS.filter((step) => isOpen[step]);
}
