import { crc32, deflateSync } from 'node:zlib';

/* Images that cost far more to decode than to send, made by hand because no library writes them. */

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A black PNG of any size, with extra chunks before its pixels. */
export function blackPng(width: number, height: number, chunks: readonly Buffer[] = []): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Each row begins with its filter.
  const pixels = deflateSync(Buffer.alloc((width + 1) * height), { level: 1 });
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A compressed text of this length. */
export function pngText(byteLength: number): Buffer {
  const text = deflateSync(Buffer.alloc(byteLength, 'x'), { level: 9 });
  return pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), text]));
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(data.byteLength + 12);
  chunk.writeUInt32BE(data.byteLength, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), data.byteLength + 8);
  return chunk;
}

/**
 * A valid grey progressive JPEG with up to 883 scans. Each scan refines one coefficient of every block by a zero bit.
 * The side must be a power of two of at least 64.
 */
export function jpegWithScans(side: number, count: number): Buffer {
  const blocks = (side / 8) ** 2;
  // One code of zeros ends the scan for 2 ** bits blocks.
  const bits = Math.min(14, Math.log2(blocks));
  const ended = Buffer.alloc(Math.ceil(((blocks / 2 ** bits) * (1 + bits)) / 8));
  const scans = Array.from({ length: count - 1 }, (_, index) => {
    const [coefficient, low] = [1 + Math.floor(index / 14), 13 - (index % 14)];
    const high = low === 13 ? 0 : low + 1;
    return [jpegSegment(0xda, [1, 1, 0, coefficient, coefficient, high * 16 + low]), ended];
  });
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]),
    jpegSegment(0xc2, [8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 0x11, 0]),
    // Tables with one code of one bit: no difference, and the end for many blocks.
    jpegSegment(0xc4, [0x00, 1, ...Array.from({ length: 15 }, () => 0), 0]),
    jpegSegment(0xc4, [0x10, 1, ...Array.from({ length: 15 }, () => 0), bits * 16]),
    jpegSegment(0xda, [1, 1, 0, 0, 0, 0]),
    Buffer.alloc(Math.ceil(blocks / 8)),
    ...scans.flat(),
    Buffer.from([0xff, 0xd9]),
  ]);
}

export function jpegSegment(marker: number, data: Iterable<number>): Buffer {
  const segment = Buffer.from([0xff, marker, 0, 0, ...data]);
  segment.writeUInt16BE(segment.byteLength - 2, 2);
  return segment;
}

/** A JPEG with a colour profile of this many steps per channel. */
export function withLongProfile(jpeg: Buffer, steps: number): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...iccSegments(longProfile(steps)), jpeg.subarray(2)]);
}

/** A colour profile in segments of a JPEG. */
export function iccSegments(profile: Buffer): readonly Buffer[] {
  const MAX_LENGTH = 65_000;
  const count = Math.ceil(profile.byteLength / MAX_LENGTH);
  return Array.from({ length: count }, (_, index) => {
    const data = profile.subarray(index * MAX_LENGTH, (index + 1) * MAX_LENGTH);
    return jpegSegment(
      0xe2,
      Buffer.concat([Buffer.from('ICC_PROFILE\0', 'latin1'), Buffer.of(index + 1, count), data]),
    );
  });
}

/**
 * A version 4.3 display profile with the tag D2B0 (ICC.1:2022, section 10.16), all of whose steps are the same three
 * curves.
 */
function longProfile(steps: number): Buffer {
  const curve = Buffer.from('6375726600000000000100007061726600000000000000003f8003473f8000000000000000000000', 'hex');
  const place = '0000002400000028';
  const curves = Buffer.concat([Buffer.from(`637673740000000000030003${place.repeat(3)}`, 'hex'), curve]);
  const start = Buffer.from('6d706574000000000003000300000000', 'hex');
  start.writeUInt32BE(steps, 12);
  const positions = Buffer.alloc(steps * 8);
  for (let step = 0; step < steps; step++) {
    positions.writeUInt32BE(start.byteLength + positions.byteLength, step * 8);
    positions.writeUInt32BE(curves.byteLength, step * 8 + 4);
  }
  const white = Buffer.from('58595a20000000000000f6d6000100000000d32d', 'hex');
  const flat = Buffer.from('637572760000000000000000', 'hex');
  const tags: [name: string, data: Buffer][] = [
    ...['wtpt', 'rXYZ', 'gXYZ', 'bXYZ'].map((name): [string, Buffer] => [name, white]),
    ...['rTRC', 'gTRC', 'bTRC'].map((name): [string, Buffer] => [name, flat]),
    ['D2B0', Buffer.concat([start, positions, curves])],
  ];
  return Buffer.concat([profileHeader(tags), ...tags.map(([, data]) => data)]);
}

function profileHeader(tags: readonly [name: string, data: Buffer][]): Buffer {
  const header = Buffer.alloc(132 + tags.length * 12);
  header.write('lcms\x04\x30\0\0mntrRGB XYZ ', 4, 'latin1');
  header.write('acsp', 36, 'latin1');
  Buffer.from('0000f6d6000100000000d32d', 'hex').copy(header, 68);
  header.writeUInt32BE(tags.length, 128);
  let offset = header.byteLength;
  for (const [index, [name, data]] of tags.entries()) {
    const entry = 132 + index * 12;
    header.write(name, entry, 'latin1');
    header.writeUInt32BE(offset, entry + 4);
    header.writeUInt32BE(data.byteLength, entry + 8);
    offset += data.byteLength;
  }
  header.writeUInt32BE(offset, 0);
  return header;
}

/** A GIF with a screen of 60,000 x 60,000 pixels, and a frame of this size that is cut off after its first pixel. */
export function gifOnLargeScreen(width: number, height: number): Buffer {
  const gif = Buffer.from('R0lGODlhYOpg6oAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const frame = gif.indexOf(',', 0, 'latin1');
  gif.writeUInt16LE(width, frame + 5);
  gif.writeUInt16LE(height, frame + 7);
  return gif;
}

/** An AVIF whose headers claim another size than its pixels have. */
export function avifThatClaims(avif: Buffer, width: number, height: number): Buffer {
  const claiming = Buffer.from(avif);
  const at = claiming.indexOf('ispe', 'latin1');
  claiming.writeUInt32BE(width, at + 8);
  claiming.writeUInt32BE(height, at + 12);
  return claiming;
}

/** An AVIF with more frames, each a copy of the first. */
export function avifWithMoreFrames(avif: Buffer, count: number): Buffer {
  const box = avif.indexOf('mdat', 'latin1') - 4;
  const data = avif.subarray(box + 8);
  const frame = data.subarray(startOfFrame(data));
  const many = Buffer.concat([avif, ...Array.from({ length: count }, () => frame)]);
  const added = count * frame.byteLength;
  many.writeUInt32BE(avif.readUInt32BE(box) + added, box);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.byteLength);
  many.writeUInt32BE(data.byteLength + added, many.indexOf(length, many.indexOf('iloc', 'latin1')));
  return many;
}

/** The offset of the first frame in AV1 data, a sequence of units that each begin with type and length. */
function startOfFrame(data: Buffer): number {
  const FRAME = 6;
  let at = 0;
  while (((data.readUInt8(at) >> 3) & 15) !== FRAME) {
    let length = 0;
    let shift = 0;
    let next = at + 1;
    for (let isLast = false; !isLast; shift += 7) {
      const byte = data.readUInt8(next++);
      length |= (byte & 127) << shift;
      isLast = byte < 128;
    }
    at = next + length;
  }
  return at;
}
