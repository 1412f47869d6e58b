import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  notFound,
  redirect,
  type RouteComponent,
} from '@tanstack/react-router';
import {
  catalogueQuery,
  readCatalogueSearch,
  shownSearch,
  type CatalogueAddress,
} from '../../api/web/catalogue-search.ts';
import { readReturnAddress } from '../../api/web/page-addresses.ts';
import type { PagePath } from '../../api/pages.ts';
import { neededTexts } from '../../api/web/page-texts.ts';
import { FEATURE_PAGE_COMPONENTS } from '../../features/pages.ts';
import type { FeaturePage, FeaturePages } from '../features/web-feature.ts';
import { loadCriterionWords } from '../catalogue/search/criterion-words.ts';
import { hasFilterSidebar } from '../catalogue/search/filter-sidebar.ts';
import { currentUserOf, permissionsOf } from '../service/current-user.ts';
import {
  editablePhotosQuery,
  organisationQuery,
  petSearchQuery,
  facetsQuery,
  petPhotosQuery,
  petProfileQuery,
  petQuery,
} from '../service/queries.ts';
import { isSpan, type Span } from '../dashboard/periods.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { requireTexts } from '../texts/loaded-texts.ts';
import { lazyPage } from '../routing/chunk-errors.ts';
import { NotFoundPage, ErrorPage } from '../routing/error-pages.tsx';
import { Shell } from './shell.tsx';
import { restoresScroll, trackNavigation } from '../routing/navigation-history.ts';

/** The context that loaders receive. */
interface RouterContext {
  queries: QueryClient;
}

const SETUP_PATH = '/setup';

const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Shell,
  notFoundComponent: NotFoundPage,
  // Before the first administrator, the service has no other page.
  beforeLoad: async ({ location, matches, context: { queries } }) => {
    if (bootstrap.setup !== undefined && location.pathname !== SETUP_PATH) throw redirect({ to: SETUP_PATH });
    const currentUser = currentUserOf(queries);
    await requireTexts(neededTexts(matches.at(-1)?.fullPath, { currentUser, access: bootstrap.access }));
  },
});

const page = <Path extends PagePath | FeaturePage>(path: Path) => ({ getParentRoute: () => rootRoute, path }) as const;

/** The router merges the validated search over the raw one: unknown parameters must be reset. */
function strictly<Read extends object>(read: (search: Search) => Read): (search: Search) => Read {
  return (search) => {
    const nothing = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    return { ...nothing, ...read(search) };
  };
}

/** Of these pages, the router loads the code and checks the ID of a pet. They read their search on their own. */
const PLAIN_PAGES = {
  '/pets/new': lazyPage(() => import('../editing/new-pet-page.tsx'), 'NewPetPage'),
  '/pets/deleted': lazyPage(() => import('../history/deleted-pets-page.tsx'), 'DeletedPetsPage'),
  '/pets/transfer': lazyPage(() => import('../transfer/transfer-page.tsx'), 'TransferPage'),
  '/pets/$petId/card': lazyPage(() => import('../pet/kennel-card-page.tsx'), 'KennelCardPage'),
  '/pets/$petId/history': lazyPage(() => import('../history/history-page.tsx'), 'HistoryPage'),
  '/about': lazyPage(() => import('../about/about-page.tsx'), 'AboutPage'),
  '/confirm-email': lazyPage(() => import('../account/entry/confirm-email-page.tsx'), 'ConfirmEmailPage'),
  [SETUP_PATH]: lazyPage(() => import('../setup/setup-page.tsx'), 'SetupPage'),
  '/account': lazyPage(() => import('../account/account-page.tsx'), 'AccountPage'),
  '/playground': lazyPage(() => import('../playground/playground-page.tsx'), 'PlaygroundPage'),
  '/oauth/authorize': lazyPage(() => import('../account/authorize-page.tsx'), 'AuthorizePage'),
  '/requests': lazyPage(() => import('../requests/requests-page.tsx'), 'RequestsPage'),
  '/admin/organisation': lazyPage(
    () => import('../administration/organisation/organisation-page.tsx'),
    'OrganisationPage',
  ),
  '/admin/own-fields': lazyPage(() => import('../administration/organisation/own-fields-page.tsx'), 'OwnFieldsPage'),
  '/admin/users': lazyPage(() => import('../administration/users/users-page.tsx'), 'UsersPage'),
  '/admin/audit': lazyPage(() => import('../administration/audit/audit-page.tsx'), 'AuditPage'),
  '/admin/health': lazyPage(() => import('../administration/health/health-page.tsx'), 'HealthPage'),
  '/admin/backups': lazyPage(() => import('../administration/backups/backups-page.tsx'), 'BackupsPage'),
  '/admin/programs': lazyPage(() => import('../administration/programs/programs-page.tsx'), 'ProgramsPage'),
  '/admin/mail': lazyPage(() => import('../administration/settings/mail-page.tsx'), 'MailPage'),
  '/admin/system': lazyPage(() => import('../administration/system/system-page.tsx'), 'SystemPage'),
  ...(FEATURE_PAGE_COMPONENTS satisfies FeaturePages),
};

/** IDs are signed 64-bit integers. Any other text is not the ID of a pet. */
const ofPet = {
  params: {
    parse: (params: { petId: string }) => {
      if (!/^-?\d{1,19}$/.test(params.petId)) throw notFound();
      return params;
    },
  },
} as const;

type PlainPage = keyof typeof PLAIN_PAGES;

/** The types of routes do not depend on the check. */
const checkOf = (path: PlainPage): object => (path.includes('$petId') ? ofPet : {});

const plainRoute = <Path extends PlainPage>(path: Path, component: RouteComponent) =>
  createRoute({ ...page(path), ...checkOf(path), component });

/** The route of each page has a type of its own, with the parameters of its path. */
type PlainRoute<Path> = Path extends PlainPage ? ReturnType<typeof plainRoute<Path>> : never;

const plainRoutes = Object.entries(PLAIN_PAGES).map(([path, component]): unknown =>
  plainRoute(path as PlainPage, component),
) as readonly PlainRoute<PlainPage>[];

function prefetchOrganisation(queries: QueryClient): void {
  if (bootstrap.site.isDescribed) void queries.prefetchQuery(organisationQuery);
}

const catalogueRoute = createRoute({
  ...page('/'),
  validateSearch: strictly<CatalogueAddress>((search) => readCatalogueSearch(queryOf(search))),
  loaderDeps: ({ search }) => readCatalogueSearch(catalogueQuery(search)),
  beforeLoad: ({ context: { queries }, search }) => loadCriterionWords(queries, search),
  // Not awaited: the page shows placeholders meanwhile.
  loader: ({ context: { queries }, deps }) => {
    const { writePets } = permissionsOf(currentUserOf(queries));
    const search = shownSearch(deps, writePets);
    if (!writePets) prefetchOrganisation(queries);
    void queries.prefetchInfiniteQuery(petSearchQuery(search));
    if (hasFilterSidebar()) void queries.prefetchQuery(facetsQuery(search));
  },
  component: lazyPage(() => import('../catalogue/catalogue-page.tsx'), 'CataloguePage'),
});

const petRoute = createRoute({
  ...page('/pets/$petId'),
  ...ofPet,
  loader: ({ context: { queries }, params: { petId } }) => {
    void queries.prefetchQuery(petQuery(petId));
    void queries.prefetchQuery(petPhotosQuery(petId));
    void queries.prefetchQuery(petProfileQuery(petId));
    prefetchOrganisation(queries);
  },
  component: lazyPage(() => import('../pet/pet-page.tsx'), 'PetPage'),
});

const editPetRoute = createRoute({
  ...page('/pets/$petId/edit'),
  ...ofPet,
  loader: ({ context: { queries }, params: { petId } }) => {
    void queries.prefetchQuery(petQuery(petId));
    void queries.prefetchQuery(editablePhotosQuery(petId));
  },
  component: lazyPage(() => import('../editing/edit-pet-page.tsx'), 'EditPetPage'),
});

const dashboardRoute = createRoute({
  ...page('/dashboard'),
  validateSearch: strictly(({ span }): { span?: Span } => (isSpan(span) ? { span } : {})),
  component: lazyPage(() => import('../dashboard/dashboard-page.tsx'), 'DashboardPage'),
});

const readReturn = ({ to }: Search): { to?: string } => {
  const path = readReturnAddress(to);
  return path === undefined ? {} : { to: path };
};

const favouritesRoute = createRoute({
  ...page('/favourites'),
  validateSearch: strictly(({ pets }): { pets?: string } =>
    typeof pets === 'string' && /^-?\d{1,19}(?:,-?\d{1,19}){0,99}$/.test(pets) ? { pets } : {},
  ),
  component: lazyPage(() => import('../favourites/favourites-page.tsx'), 'FavouritesPage'),
});

const loginRoute = createRoute({
  ...page('/login'),
  validateSearch: strictly(readReturn),
  component: lazyPage(() => import('../account/entry/login-page.tsx'), 'LoginPage'),
});

const signUpRoute = createRoute({
  ...page('/sign-up'),
  validateSearch: strictly(readReturn),
  component: lazyPage(() => import('../account/entry/sign-up-page.tsx'), 'SignUpPage'),
});

const resetPasswordRoute = createRoute({
  ...page('/reset-password'),
  validateSearch: strictly(({ for: purpose }): { for?: 'invitation' | 'steps' } =>
    purpose === 'invitation' || purpose === 'steps' ? { for: purpose } : {},
  ),
  component: lazyPage(() => import('../account/reset-password-page.tsx'), 'ResetPasswordPage'),
});

const userRoute = createRoute({
  ...page('/admin/users/$username'),
  validateSearch: strictly(({ by }): { by?: 'accountId' } => (by === 'accountId' ? { by } : {})),
  component: lazyPage(() => import('../administration/users/user-page.tsx'), 'UserPage'),
});

const routeTree = rootRoute.addChildren([
  catalogueRoute,
  petRoute,
  editPetRoute,
  dashboardRoute,
  favouritesRoute,
  loginRoute,
  signUpRoute,
  resetPasswordRoute,
  userRoute,
  ...plainRoutes,
]);

export function createPages(queries: QueryClient) {
  const router = createRouter({
    routeTree,
    basepath: bootstrap.basePath || '/',
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // The queries decide what is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: restoresScroll,
    defaultErrorComponent: ErrorPage,
  });
  trackNavigation(router);
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}

type Search = Record<string, unknown>;

/** Lists are repeated parameters. */
function parseSearch(text: string): Search {
  const query = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function stringifySearch(search: Search): string {
  const text = queryOf(search).toString();
  return text === '' ? '' : `?${text}`;
}

function queryOf(search: Search): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (typeof each === 'string' || typeof each === 'number') query.append(name, String(each));
  return query;
}
