const SECTOR = 2048;
const FIRST_DESCRIPTOR = 16;
const DESCRIPTOR_END = 255;
const PRIMARY = 1;
const SUPPLEMENTARY = 2;

interface DirectoryRecord {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly content: Buffer;
}

/** Names of the root directory and its parent have one byte, all others are UTF-16. */
const jolietName = (bytes: Buffer): string =>
  bytes.length % 2 === 0 ? Buffer.from(bytes).swap16().toString('utf16le') : '';

/** The Rock Ridge name in the system use area of a record, from several `NM` entries. */
const rockRidgeName = (area: Buffer): string => {
  let name = '';
  for (let at = 0; at + 4 <= area.length; at += area.readUInt8(at + 2)) {
    const length = area.readUInt8(at + 2);
    if (length < 4) break;
    if (area.toString('latin1', at, at + 2) === 'NM') name += area.toString('utf8', at + 5, at + length);
  }
  return name;
};

const readRecord = (image: Buffer, record: Buffer, joliet: boolean): DirectoryRecord => {
  const start = record.readUInt32LE(2) * SECTOR;
  const nameLength = record.readUInt8(32);
  const rawName = record.subarray(33, 33 + nameLength);
  const plain = joliet ? jolietName(rawName) : rockRidgeName(record.subarray(33 + nameLength + ((nameLength + 1) % 2)));
  return {
    name: (plain || rawName.toString('latin1')).replace(/;\d+$/, ''),
    isDirectory: (record.readUInt8(25) & 2) !== 0,
    content: image.subarray(start, start + record.readUInt32LE(10)),
  };
};

const readDirectory = (image: Buffer, directory: Buffer, joliet: boolean): DirectoryRecord[] => {
  const records: DirectoryRecord[] = [];
  for (let at = 0; at < directory.length; ) {
    const length = directory.readUInt8(at);
    // Records do not cross sectors: a zero means that the next record is in the next sector.
    if (length === 0) at = (Math.floor(at / SECTOR) + 1) * SECTOR;
    else {
      const record = directory.subarray(at, at + length);
      // The names 0 and 1 of one byte stand for the directory itself and its parent.
      const isSelf = record.readUInt8(32) === 1 && record.readUInt8(33) <= 1;
      if (!isSelf) records.push(readRecord(image, record, joliet));
      at += length;
    }
  }
  return records;
};

const walk = (image: Buffer, directory: Buffer, joliet: boolean, prefix: string): [string, Buffer][] =>
  readDirectory(image, directory, joliet).flatMap((entry) =>
    entry.isDirectory
      ? walk(image, entry.content, joliet, `${prefix}${entry.name}/`)
      : [[`${prefix}${entry.name}`, entry.content] as [string, Buffer]],
  );

const rootOf = (image: Buffer): { root: Buffer; joliet: boolean } => {
  let primary: Buffer | undefined;
  for (let at = FIRST_DESCRIPTOR * SECTOR; at + SECTOR <= image.length; at += SECTOR) {
    const type = image.readUInt8(at);
    if (image.toString('latin1', at + 1, at + 6) !== 'CD001' || type === DESCRIPTOR_END) break;
    const record = image.subarray(at + 156, at + 190);
    if (type === PRIMARY) primary = record;
    const isJoliet = type === SUPPLEMENTARY && image.toString('latin1', at + 88, at + 90) === '%/';
    if (isJoliet) return { root: readRecord(image, record, true).content, joliet: true };
  }
  if (primary === undefined) throw new Error('not an ISO 9660 image');
  return { root: readRecord(image, primary, false).content, joliet: false };
};

/** All files of an ISO 9660 image by path, with their Joliet or Rock Ridge names. */
export const readIso = (image: Buffer): ReadonlyMap<string, Buffer> => {
  const { root, joliet } = rootOf(image);
  return new Map(walk(image, root, joliet, ''));
};
