import { UPLOAD_RULES } from './listings/server/upload-targets.ts';

/** The rules of settings whose value is a text. Not with the names, which load no readers of values. */
export const FEATURE_SETTING_RULES = { ...UPLOAD_RULES } as const;
