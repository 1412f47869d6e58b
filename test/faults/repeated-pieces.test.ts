import { testRepeatedPieces } from '../fuzz/repeated-pieces.ts';

// Too slow for `npm test`, which sends 700.
testRepeatedPieces(20_000);
