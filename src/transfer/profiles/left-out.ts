/** Why a row without a problem is not imported. */
export const LEFT_OUT = ['repeated', 'header', 'deceased', 'transferred', 'not-for-adoption', 'deleted'] as const;

export type LeftOut = (typeof LEFT_OUT)[number];
