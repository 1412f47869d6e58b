import { testRepeatedPieces } from '../fuzz/repeated-pieces.ts';

// Slow, and so not part of `npm test`, where each value is sent once.
testRepeatedPieces(20);
