import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { execa } from 'execa';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { adminOf, pkiIn } from '../../../lab/control-plane/certificates.ts';
import type { Lab } from '../../../lab/lab.ts';

/** The folder of a lab as one file: databases, disks, certificates and ports. */

const RECORD = join(import.meta.dirname, 'record.tar.br');
const IRONIC = 'ironic/ironic.sqlite';
const STATE = 'state.json';
/** Beside the rest, what was stored of the lab is in logs, caches and Temporal's database. */
const KEPT = ['etcd', 'pki', 'cluster-api', IRONIC, 'redfish/state', 'disks', STATE];

/** Ends all servers of the lab but etcd, and packs its folder. */
export async function pack(lab: Pick<Lab, 'dir' | 'endpoints' | 'services' | 'kill'>, file: string): Promise<void> {
  const others = lab.services().filter((name) => name !== 'etcd');
  for (const name of others.toReversed()) await lab.kill(name, 'SIGTERM');
  await compact(lab);
  await lab.kill('etcd', 'SIGTERM');
  const database = join(lab.dir, IRONIC);
  const ironic = new DatabaseSync(database);
  ironic.prepare('VACUUM INTO ?').run(`${database}.small`);
  ironic.close();
  await rename(`${database}.small`, database);
  await writeFile(join(lab.dir, STATE), JSON.stringify({ version: 1, ports: await portsIn(lab.dir) }));
  const { stdout } = await execa('tar', ['--create', '--sparse', '--directory', lab.dir, ...KEPT], {
    encoding: 'buffer',
    maxBuffer: 2 ** 30,
  });
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: stdout.length };
  await writeFile(file, await promisify(brotliCompress)(stdout, { params }));
}

const withPorts = z.object({ ports: z.record(z.string(), z.int()) });

/** The ports of the lab in a folder, by the names of their servers. */
export async function portsIn(dir: string): Promise<Readonly<Record<string, number>>> {
  return withPorts.parse(JSON.parse(await readFile(join(dir, STATE), 'utf8'))).ports;
}

/** etcd's database without what was overwritten. */
async function compact({ dir, endpoints }: Pick<Lab, 'dir' | 'endpoints'>): Promise<void> {
  const dispatcher = new Agent({ connect: adminOf(pkiIn(join(dir, 'pki'))) });
  const call = async (path: string, body: object): Promise<unknown> => {
    const url = `${endpoints.etcd}/v3/${path}`;
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), dispatcher });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const anyKey = Buffer.from('/').toString('base64');
  const { header } = z
    .object({ header: z.object({ revision: z.string() }) })
    .parse(await call('kv/range', { key: anyKey }));
  await call('kv/compaction', { revision: header.revision, physical: true });
  await call('maintenance/defragment', {});
  await dispatcher.close();
}

/** Unpacks the record into a folder; returns the ports of its lab, which are in its objects and in Ironic's database. */
export async function unpack(dir: string): Promise<Readonly<Record<string, number>>> {
  const input = await promisify(brotliDecompress)(await readFile(RECORD));
  await execa('tar', ['--extract', '--directory', dir], { input });
  // Ironic gives an operation up that has waited since the record was made.
  const ironic = new DatabaseSync(join(dir, IRONIC));
  ironic.exec(
    "UPDATE nodes SET provision_updated_at = datetime('now') || '.000000' WHERE provision_state LIKE '%wait%'",
  );
  ironic.close();
  return portsIn(dir);
}
