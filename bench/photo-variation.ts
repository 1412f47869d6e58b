const QUANTIZATION_TABLE = 0xff_db;
const CHANGED_FREQUENCIES = 30;

/**
 * The same photo with one number of its quantization table increased (ITU-T T.81, section B.2.4.1). This changes all
 * pixels, and so the bytes and the
 * digest after decoding and encoding, at no cost.
 */
export function varied(jpeg: Buffer, number: number): Buffer {
  const copy = Buffer.from(jpeg);
  // After the marker: two bytes for the length, one for the number of the table, then 64 in order of frequency.
  const at = positionOf(copy, QUANTIZATION_TABLE) + 5 + 1 + (number % CHANGED_FREQUENCIES);
  copy[at] = Math.min(255, (copy[at] ?? 0) + 1 + Math.floor(number / CHANGED_FREQUENCIES));
  return copy;
}

function positionOf(jpeg: Buffer, marker: number): number {
  let at = 2;
  while (jpeg.readUInt16BE(at) !== marker) at += 2 + jpeg.readUInt16BE(at + 2);
  return at;
}
