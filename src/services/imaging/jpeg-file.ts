/* Reads the segments of JPEG files (ITU-T T.81, section B.1.1). */

const END = 0xd9;
const SCAN = 0xda;

/** Whether a JPEG has more scans than this. In a progressive one, each scan processes all pixels, and may have only ten bytes. */
export function hasMoreScans(file: Buffer, count: number): boolean {
  let left = count;
  for (const { marker } of segmentsOf(file)) if (marker === SCAN && --left < 0) return true;
  return false;
}

/** The scans, and the end. */
function* segmentsOf(file: Buffer): Generator<{ marker: number }, void> {
  for (let at = 2; at + 1 < file.byteLength; at++) {
    if (file[at] !== 0xff) continue;
    const marker = file.readUInt8(at + 1);
    const length = hasLength(marker) && at + 4 <= file.byteLength ? file.readUInt16BE(at + 2) : 0;
    if (marker === SCAN) yield { marker };
    if (marker === END) return;
    if (length > 0) at += 1 + length;
  }
}

/** False for an escaped byte in the pixels, a fill byte, TEM, RST0 to RST7, the start and the end. */
function hasLength(marker: number): boolean {
  return marker > 0x01 && marker < 0xff && (marker < 0xd0 || marker > END);
}
