import { testRepeatedPieces } from '../fuzz/repeated-pieces.ts';

// Slow, and so not part of `npm test`, which sends 700.
testRepeatedPieces(20_000);
