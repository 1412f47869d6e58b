import { testRepeatedPieces } from './repeated-pieces.ts';

testRepeatedPieces(700);
