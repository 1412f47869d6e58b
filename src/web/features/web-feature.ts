import type { RouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { useTranslations } from 'use-intl';
import type { PagePath } from '../../api/pages.ts';
import type { Action } from '../../api/web/bootstrap.ts';
import type { CatalogueSearch } from '../../api/web/catalogue-search.ts';
import type { AboutPet, Pet } from '../../api/web/first-view.ts';
import type { Site } from '../../api/web/site.ts';
import type { FEATURE_PAGES } from '../../features/names.ts';

type KnownPage = keyof typeof FEATURE_PAGES;

/** The types of the router need a path, even while no feature has one. */
export type FeaturePage = [KnownPage] extends [never] ? '/feature' : KnownPage;

/** The pages of a feature. Their code is loaded when it is needed. */
export type FeaturePages = Readonly<Partial<Record<FeaturePage, RouteComponent>>>;

/** A page in the menu of the administration. */
export interface AdminMenuItem {
  group: 'people' | 'organisation' | 'data' | 'service';
  to: Exclude<PagePath | FeaturePage, `${string}$${string}`>;
  labelIn: (t: ReturnType<typeof useTranslations<'administration'>>) => string;
}

/** The facts of a pet, to which features add parts that work without router and browser as well. */
export interface PetPartProps {
  pet: Pet;
  about: AboutPet | undefined;
  site: Site;
}

/** A link for staff: in the navigation and beside the controls of a pet, or in the footer if the feature is off. */
export interface StaffLink {
  /** Beside a pet, with its ID as `petId`. */
  to: FeaturePage;
  /** Its name in `Site.features`. */
  feature: string;
  permission: Action;
  Icon: ComponentType<IconProps>;
  labelIn: (t: AllTexts) => string;
  /** The number of what waits for the staff, beside the label in the navigation. Loaded after the page. */
  Count?: ComponentType;
}

interface IconProps {
  size: string;
  strokeWidth?: number;
  'aria-hidden': true;
}

/** The parts that a feature adds to pages of the core. Their code is loaded when it is needed. */
export interface WebParts {
  /** A button beside the number of results of a search with filters. Its space is reserved. */
  BesideResults?: ComponentType<{ search: CatalogueSearch; isWide: boolean }>;
  /** The records of a person that it stores. A person may demand to see and erase it (GDPR, articles 15 and 17). */
  loadRecords?: () => Promise<PersonalRecords>;
}

type AllTexts = ReturnType<typeof useTranslations<never>>;

export interface PersonalRecords {
  found(t: AllTexts, count: number): string;
  done(t: AllTexts, count: number): string;
  count(email: string, signal: AbortSignal): Promise<number>;
  /** @returns how many were erased */
  erase(email: string): Promise<number>;
}
