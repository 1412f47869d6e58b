import { FEATURES } from '../../features/parts.ts';
import type { WebParts } from './web-feature.ts';

export const WEB_PARTS: readonly WebParts[] = FEATURES;
