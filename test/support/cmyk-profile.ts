import { SRGB } from '../../src/services/imaging/icc-profile.ts';
import { apply, D50, toXyz, type Vector } from '../../src/services/imaging/matrices.ts';

/* Colour profiles (ICC.1:2001-04, version 2.4) for inks that mix ideally, and for grey pixels. */

const NODES = 9;
/** The part of the light that all inks together leave. */
const BLACK = 0.08;

/** Its tag A2B0 is a table from CMYK to Lab. */
export function cmykProfile(): Buffer {
  const numbers = [0, 0xffff, 0, 0xffff, 0, 0xffff, 0, 0xffff];
  for (let index = 0; index < NODES ** 4; index++) {
    const [cyan = 0, magenta = 0, yellow = 0, black = 0] = [3, 2, 1, 0].map(
      (place) => 1 - (Math.floor(index / NODES ** place) % NODES) / (NODES - 1),
    );
    const light = (ink: number) => BLACK + (1 - BLACK) * ink * black;
    numbers.push(...labOf([light(cyan), light(magenta), light(yellow)]));
  }
  numbers.push(0, 0xffff, 0, 0xffff, 0, 0xffff);
  const table = Buffer.alloc(52 + numbers.length * 2);
  table.write('mft2\0\0\0\0\x04\x03\x09', 'latin1');
  for (const at of [12, 28, 44]) table.writeInt32BE(0x10000, at);
  table.writeUInt16BE(2, 48);
  table.writeUInt16BE(2, 50);
  for (const [index, number] of numbers.entries()) table.writeUInt16BE(number, 52 + index * 2);
  return profileOf('prtrCMYKLab ', ['A2B0', table]);
}

function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** As in version 2: 0xff00 is 100 %, and 0x8000 is neutral. */
function labOf([red, green, blue]: Vector): readonly number[] {
  const xyz = apply(toXyz(SRGB), [linear(red), linear(green), linear(blue)]);
  const [x = 0, y = 0, z = 0] = xyz.map((value, index) => {
    const ratio = value / (D50[index] ?? 1);
    return ratio > 0.008856 ? Math.cbrt(ratio) : 7.787 * ratio + 16 / 116;
  });
  const lab = [(116 * y - 16) * 652.8, (500 * (x - y) + 128) * 256, (200 * (y - z) + 128) * 256];
  return lab.map((value) => Math.max(0, Math.min(0xffff, Math.round(value))));
}

/** With a gamma of 1.8. */
export function greyProfile(): Buffer {
  return profileOf('mntrGRAYXYZ ', ['kTRC', Buffer.from('curv\0\0\0\0\0\0\0\x01\x01\xcd\0\0', 'latin1')]);
}

function profileOf(kind: string, tag: readonly [name: string, data: Buffer]): Buffer {
  const tags: (readonly [name: string, data: Buffer])[] = [
    ['desc', Buffer.concat([Buffer.from('desc\0\0\0\0\0\0\0\x02-\0', 'latin1')], 92)],
    ['cprt', Buffer.from('text\0\0\0\0-\0\0\0', 'latin1')],
    ['wtpt', Buffer.from('58595a20000000000000f6d6000100000000d32d', 'hex')],
    tag,
  ];
  const header = Buffer.alloc(132 + tags.length * 12);
  header.writeUInt32BE(0x02_40_00_00, 8);
  header.write(kind, 12, 'latin1');
  header.write('acsp', 36, 'latin1');
  Buffer.from('0000f6d6000100000000d32d', 'hex').copy(header, 68);
  header.writeUInt32BE(tags.length, 128);
  let offset = header.byteLength;
  for (const [index, [name, data]] of tags.entries()) {
    header.write(name, 132 + index * 12, 'latin1');
    header.writeUInt32BE(offset, 136 + index * 12);
    header.writeUInt32BE(data.byteLength, 140 + index * 12);
    offset += data.byteLength;
  }
  header.writeUInt32BE(offset, 0);
  return Buffer.concat([header, ...tags.map(([, data]) => data)]);
}
