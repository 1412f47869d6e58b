import sharp from 'sharp';

/* Changes AVIF files of one photo, as libheif writes them. */

/** Adds a box with the numbers of the colour primaries and the transfer (ISO/IEC 23008-12, section 6.5.5). */
export function avifWithColours(avif: Buffer, primaries: number, transfer: number): Buffer {
  const BT_601 = 6;
  const box = Buffer.from([0, 0, 0, 19, ...Buffer.from('colrnclx'), 0, primaries, 0, transfer, 0, BT_601, 0x80]);
  const start = (type: string) => avif.indexOf(type, 0, 'latin1') - 4;
  const end = (type: string) => start(type) + avif.readUInt32BE(start(type));
  let properties = 1;
  for (let at = start('ipco') + 8; at < end('ipco'); at += avif.readUInt32BE(at)) properties += 1;
  const parts = [avif.subarray(0, end('ipco')), box, avif.subarray(end('ipco'), end('ipma')), Buffer.of(properties)];
  const changed = Buffer.concat([...parts, avif.subarray(end('ipma'))]);
  const grow = (type: string, by: number) => {
    const at = changed.indexOf(type, 0, 'latin1') - 4;
    changed.writeUInt32BE(changed.readUInt32BE(at) + by, at);
  };
  for (const type of ['meta', 'iprp']) grow(type, box.byteLength + 1);
  grow('ipco', box.byteLength);
  grow('ipma', 1);
  // The number of properties of the photo, and the offset of its data.
  changed[changed.indexOf('ipma', 0, 'latin1') + 14]! += 1;
  const offset = changed.indexOf('iloc', 0, 'latin1') + 16;
  changed.writeUInt32BE(changed.readUInt32BE(offset) + box.byteLength + 1, offset);
  return changed;
}

/** Renames the first brand. */
export function avifWithBrand(avif: Buffer, brand: string): Buffer {
  const renamed = Buffer.from(avif);
  renamed.write(brand, 8, 'latin1');
  return renamed;
}

/** An AVIF of a strip, large enough for its codec to keep the colours. */
export function avifOf(photo: Buffer, bitdepth: 8 | 10): Promise<Buffer> {
  return sharp(photo)
    .keepIccProfile()
    .resize({ width: 512, height: 64, kernel: 'nearest', fit: 'fill' })
    .avif({ quality: 100, effort: 1, chromaSubsampling: '4:4:4', bitdepth })
    .toBuffer();
}
