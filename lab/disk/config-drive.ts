import { gunzipSync } from 'node:zlib';
import { fetch } from 'undici';
import { readIso } from './iso9660.ts';

/** A config drive as the installed system reads it. */
export interface ConfigDrive {
  readonly metaData: unknown;
  readonly userData: string | null;
  readonly networkData: unknown;
  readonly files: readonly string[];
}

const LATEST = 'openstack/latest/';

const json = (file: Buffer | undefined): unknown => (file === undefined ? null : JSON.parse(file.toString('utf8')));

const unpack = (text: string): Buffer => {
  const packed = Buffer.from(text, 'base64');
  const isGzip = packed.readUInt16BE(0) === 0x1f8b;
  return isGzip ? gunzipSync(packed) : packed;
};

/** Decodes what Ironic sends to an agent: a gzipped ISO in base64, or the URL of one. */
export const decodeConfigDrive = async (given: string): Promise<ConfigDrive> => {
  const isUrl = /^https?:\/\//.test(given);
  const text = isUrl ? await (await fetch(given)).text() : given;
  const files = readIso(unpack(text));
  return {
    metaData: json(files.get(`${LATEST}meta_data.json`)),
    userData: files.get(`${LATEST}user_data`)?.toString('utf8') ?? null,
    networkData: json(files.get(`${LATEST}network_data.json`)),
    files: [...files.keys()].sort(),
  };
};
