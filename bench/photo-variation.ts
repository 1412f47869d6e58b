const QUANTIZATION_TABLE = 0xff_db;
const CHANGED_FREQUENCIES = 30;

/**
 * The same photo with one number of its quantization table raised (ITU-T T.81, section B.2.4.1): other pixels all over, and so other bytes and another
 * digest wherever it is decoded and encoded again, at no cost.
 */
export function varied(jpeg: Buffer, number: number): Buffer {
  const copy = Buffer.from(jpeg);
  // Behind the marker: two bytes of length, one with the number of the table, then 64 in order of frequency.
  const at = positionOf(copy, QUANTIZATION_TABLE) + 5 + 1 + (number % CHANGED_FREQUENCIES);
  copy[at] = Math.min(255, (copy[at] ?? 0) + 1 + Math.floor(number / CHANGED_FREQUENCIES));
  return copy;
}

function positionOf(jpeg: Buffer, marker: number): number {
  let at = 2;
  while (jpeg.readUInt16BE(at) !== marker) at += 2 + jpeg.readUInt16BE(at + 2);
  return at;
}
