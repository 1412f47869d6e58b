import type { FastifyInstance } from 'fastify';
import { AccountRoutes } from './accounts/account-routes.ts';
import { AdminRoutes } from './accounts/admin-routes.ts';
import { EmailRoutes } from './accounts/email-routes.ts';
import { UserRoutes } from './accounts/user-routes.ts';
import { EventRoutes } from './events/event-routes.ts';
import { ExportRoutes } from './exports/export-routes.ts';
import { OAuthRoutes } from './oauth/oauth-routes.ts';
import { OrganisationRoutes } from './organisation/organisation-routes.ts';
import { BulkRoutes } from './pets/bulk-routes.ts';
import { HistoryRoutes } from './pets/history-routes.ts';
import { PetPhotoRoutes } from './pets/pet-photo-routes.ts';
import { PetRoutes } from './pets/pet-routes.ts';
import { PhotoRoutes } from './pets/photo-routes.ts';
import { ProfileRoutes } from './pets/profile-routes.ts';
import { SearchRoutes } from './pets/search-routes.ts';
import { PlaygroundRoutes } from './playgrounds/playground-routes.ts';
import { ProviderRoutes } from './providers/provider-routes.ts';
import { BackupRoutes } from './service/backup-routes.ts';
import { SettingsRoutes } from './service/settings-routes.ts';
import { FactorRoutes } from './sign-in/factor-routes.ts';
import { SignInRoutes } from './sign-in/sign-in-routes.ts';
import type { AddRoute } from './pipeline/routes.ts';

/** The routes of the operations of the core. Each class names what it needs. */
const OPERATION_ROUTES = [
  PetRoutes,
  ExportRoutes,
  PetPhotoRoutes,
  PhotoRoutes,
  BulkRoutes,
  HistoryRoutes,
  ProfileRoutes,
  SearchRoutes,
  OrganisationRoutes,
  UserRoutes,
  AccountRoutes,
  ProviderRoutes,
  SignInRoutes,
  FactorRoutes,
  EmailRoutes,
  OAuthRoutes,
  AdminRoutes,
  BackupRoutes,
  SettingsRoutes,
  PlaygroundRoutes,
  EventRoutes,
] as const;

type All<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer I) => void ? I : never;

export type OperationDeps = All<ConstructorParameters<(typeof OPERATION_ROUTES)[number]>[0]>;

/** @param app for routes beside the operations, such as the redirects of login providers */
export function addOperations(add: AddRoute, app: FastifyInstance, deps: OperationDeps): void {
  for (const Routes of OPERATION_ROUTES) new Routes(deps).addTo(add, app);
}
