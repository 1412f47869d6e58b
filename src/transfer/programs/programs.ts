import { ASM3 } from './asm3.ts';
import { PETFINDER } from './petfinder.ts';
import { PETPOINT } from './petpoint.ts';
import { PETSTABLISHED } from './petstablished.ts';
import type { Program } from './program.ts';
import { RESCUEGROUPS } from './rescuegroups.ts';
import { SHELTERBUDDY } from './shelterbuddy.ts';
import { SHELTERLUV } from './shelterluv.ts';

/** The programs whose exports are recognized by their column names. */
export const PROGRAMS: readonly Program[] = [
  ASM3,
  PETFINDER,
  PETPOINT,
  PETSTABLISHED,
  RESCUEGROUPS,
  SHELTERBUDDY,
  SHELTERLUV,
];

/** The programs that import pets from us, by their names for `--for`. */
export const WRITTEN_FOR = ['asm3'] as const;

export type WrittenFor = (typeof WRITTEN_FOR)[number];

export const WRITTEN_PROGRAMS: Readonly<Record<WrittenFor, Program>> = { asm3: ASM3 };

/** The names for `--from`. */
export const PROGRAM_NAMES = PROGRAMS.map(({ name }) => name.toLowerCase());
