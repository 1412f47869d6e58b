import { createContext, use, type MouseEvent, type ReactNode } from 'react';
import type { FeaturePage } from '../features/web-feature.ts';
import { catalogueQuery, type CatalogueAddress } from '../../api/web/catalogue-search.ts';

interface Attributes {
  className?: string | undefined;
  title?: string;
  /** The look of a button. */
  'data-variant'?: 'filled' | 'default';
  onClick?: ((event: MouseEvent<HTMLAnchorElement>) => void) | undefined;
  children: ReactNode;
}

type Target =
  | { to: '/'; search?: CatalogueAddress }
  | { to: '/pets/$petId' | Extract<FeaturePage, `/pets/$petId/${string}`>; params: { petId: string }; hash?: string }
  | { to: '/about'; hash: string };

export type PageLinkProps = Attributes & Target;

/** Renders the links. The application provides the link of its router; the first view has no router. */
export const LinkRenderer = createContext(plainLinks(''));

/** A link to another page, for components that the application and the first view share. */
export function PageLink(props: PageLinkProps) {
  return use(LinkRenderer)(props);
}

/** @returns renders the links of a service with this base path without a router */
export function plainLinks(basePath: string): (props: PageLinkProps) => ReactNode {
  return (props) => {
    const { className, title, children, 'data-variant': variant } = props;
    return (
      <a className={className} href={`${basePath}${hrefOf(props)}`} title={title} data-variant={variant}>
        {children}
      </a>
    );
  };
}

function hrefOf(target: Target): string {
  if ('params' in target) {
    const path = target.to.replace('$petId', target.params.petId);
    return target.hash === undefined ? path : `${path}#${target.hash}`;
  }
  if (target.to === '/about') return `/about#${target.hash}`;
  const query = catalogueQuery(target.search ?? {}).toString();
  return query === '' ? '/' : `/?${query}`;
}
