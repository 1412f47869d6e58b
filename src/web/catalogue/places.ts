import { createContext } from 'react';
import type { Site } from '../../api/web/site.ts';

/** The names of the locations, if there is more than one. */
export const PlacesContext = createContext<NonNullable<Site['places']>>({});
