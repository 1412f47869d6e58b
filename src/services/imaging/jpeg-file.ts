/* Reads the segments of JPEG files (ITU-T T.81, section B.1.1). */

const BASELINE = 0xc0;
const PROGRESSIVE = 0xc2;
const END = 0xd9;
const SCAN = 0xda;
const COEFFICIENTS = 64;

/**
 * Whether a JPEG has more scans than this. In a progressive one, each scan processes all pixels, and may have only ten
 * bytes.
 */
export function hasMoreScans(file: Buffer, count: number): boolean {
  let left = count;
  for (const { marker } of segmentsOf(file)) if (marker === SCAN && --left < 0) return true;
  return false;
}

/** Returns a JPEG with an end, if that is all it lacks besides bytes of its last scan. */
export function withJpegEnd(file: Buffer): Buffer | undefined {
  /** For each component, how many bits of each coefficient are missing. */
  const missing = new Map<number, number[]>();
  let isProgressive = false;
  for (const { marker, data } of segmentsOf(file)) {
    if (marker === END) return undefined;
    if (marker === SCAN) subtractScan(missing, data, isProgressive);
    else {
      isProgressive = marker === PROGRESSIVE;
      for (let at = 6; at < data.byteLength; at += 3)
        missing.set(
          data.readUInt8(at),
          Array.from({ length: COEFFICIENTS }, () => 1),
        );
    }
  }
  const isComplete = missing.size > 0 && [...missing.values()].flat().every((bits) => bits === 0);
  return isComplete ? Buffer.concat([file, Buffer.of(0xff, END)]) : undefined;
}

/** A scan of a progressive JPEG has some coefficients of its components, without some bits (section B.2.3). */
function subtractScan(missing: ReadonlyMap<number, number[]>, data: Buffer, isProgressive: boolean): void {
  const parameters = data.subarray(-3);
  const [first = 0, last = 0, bits = 0] = isProgressive ? parameters : [0, COEFFICIENTS - 1, 0];
  for (let at = 1; at < data.byteLength - parameters.byteLength; at += 2)
    missing.get(data.readUInt8(at))?.fill(bits & 15, first, last + 1);
}

/** The headers of the image and of its scans, and the end. */
function* segmentsOf(file: Buffer): Generator<{ marker: number; data: Buffer }, void> {
  for (let at = 2; at + 1 < file.byteLength; at++) {
    if (file[at] !== 0xff) continue;
    const marker = file.readUInt8(at + 1);
    const length = hasLength(marker) && at + 4 <= file.byteLength ? file.readUInt16BE(at + 2) : 0;
    if ((marker >= BASELINE && marker <= PROGRESSIVE) || marker === SCAN || marker === END)
      yield { marker, data: file.subarray(at + 4, at + 2 + length) };
    if (marker === END) return;
    if (length > 0) at += 1 + length;
  }
}

/** False for an escaped byte in the pixels, a fill byte, TEM, RST0 to RST7, the start and the end. */
function hasLength(marker: number): boolean {
  return marker > 0x01 && marker < 0xff && (marker < 0xd0 || marker > END);
}
