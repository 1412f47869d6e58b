import {
  germanBreed,
  germanColour,
  germanLabel,
  germanMix,
  germanPattern,
} from '../../domain/german-words/german-words.ts';
import type { Words } from './words.ts';

/** Only German pages load them. */
export const GERMAN_WORDS: Words = {
  breed: germanBreed,
  colour: germanColour,
  pattern: germanPattern,
  label: germanLabel,
  mix: germanMix,
};
