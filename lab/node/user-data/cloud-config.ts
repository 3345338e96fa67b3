import { gunzipSync } from 'node:zlib';
import nunjucks from 'nunjucks';
import { parse } from 'yaml';
import { z } from 'zod';

const JINJA = '## template: jinja';
const CLOUD_CONFIG = '#cloud-config';

const file = z.object({
  path: z.string().startsWith('/'),
  content: z.string().default(''),
  encoding: z.string().default(''),
  append: z.boolean().default(false),
});

const cloudConfigSchema = z.object({
  write_files: z.array(file).nullish(),
  runcmd: z.array(z.union([z.string(), z.array(z.coerce.string())])).nullish(),
});

/** The part of a cloud-config that a simulated machine supports. */
export interface CloudConfig {
  readonly files: readonly { readonly path: string; readonly content: Buffer; readonly append: boolean }[];
  readonly commands: readonly string[];
}

export type InstanceMetaData = Readonly<Record<string, unknown>>;

/** Undefined variables are errors, so that no machine gets an incomplete name. */
const jinja = new nunjucks.Environment(null, { autoescape: false, throwOnUndefined: true });

/** Reads user data; undefined when it is not for cloud-init, throws when cloud-init could not read it. */
export function readCloudConfig(userData: string, metaData: InstanceMetaData): CloudConfig | undefined {
  const [first = ''] = userData.split('\n', 1);
  const isTemplate = first.trim().toLowerCase() === JINJA;
  const body = isTemplate ? userData.slice(first.length + 1) : userData;
  if (!body.startsWith(CLOUD_CONFIG)) return undefined;
  const text = isTemplate ? jinja.renderString(body, variables(metaData)) : body;
  const config = cloudConfigSchema.parse(parse(text) ?? {});
  return {
    files: (config.write_files ?? []).map(({ path, content, encoding, append }) => ({
      path,
      content: decode(content, encoding),
      append,
    })),
    commands: (config.runcmd ?? []).map((command) => (typeof command === 'string' ? command : command.join(' '))),
  };
}

/** The host name that cloud-init would set. */
export function hostnameOf(metaData: InstanceMetaData): string | undefined {
  const names = ['local-hostname', 'local_hostname', 'hostname', 'name'].map((key) => metaData[key]);
  return names.find((name): name is string => typeof name === 'string' && name !== '');
}

function variables(metaData: InstanceMetaData): object {
  const meta = withUnderscores(metaData) as InstanceMetaData;
  const local_hostname = hostnameOf(metaData);
  const instance_id = metaData['uuid'];
  return { ds: { meta_data: meta }, v1: { local_hostname, instance_id }, local_hostname, instance_id };
}

/** Jinja reads a hyphen as a minus, so each key also exists with underscores. */
function withUnderscores(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnderscores);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, withUnderscores(one)] as const);
  return Object.fromEntries([...entries.map(([key, one]) => [key.replaceAll('-', '_'), one]), ...entries]);
}

function decode(content: string, encoding: string): Buffer {
  const steps = encoding.toLowerCase().split('+');
  const isBase64 = steps.some((step) => step === 'b64' || step === 'base64');
  const bytes = Buffer.from(content, isBase64 ? 'base64' : 'utf8');
  return steps.some((step) => step === 'gz' || step === 'gzip') ? gunzipSync(bytes) : bytes;
}
