import { FEATURES } from '../../features/web.ts';
import type { WebFeature } from './web-feature.ts';

export const WEB_FEATURES: readonly WebFeature[] = FEATURES;
