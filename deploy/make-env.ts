import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { fillIn } from './fill-in.ts';

/** Writes .env beside docker-compose.yml; an existing one is not changed. */

const inRepository = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const newPassword = (): string => randomBytes(18).toString('base64url');

const text = await fillIn(await readFile(inRepository('.env.example'), 'utf8'), newPassword);
try {
  await writeFile(inRepository('.env'), text, { mode: 0o600, flag: 'wx' });
  process.stdout.write('.env is written; set KUBECONFIG_FILE and IRONIC_IP in it\n');
} catch (error) {
  const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
  process.stderr.write(exists ? '.env exists and is left as it is\n' : `writing .env: ${String(error)}\n`);
  process.exitCode = 1;
}
