import { z } from 'zod';
import { text } from './config-values.ts';

/** Other programs take a proxy without a scheme, too. */
const withScheme = (text: string): string => (text.includes('://') ? text : `http://${text}`);

/** The message quotes no value: a proxy may have a password. */
const proxy = z
  .string()
  .transform(withScheme)
  .refine(
    (text) => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol),
    'must be host:port, or a URL with http:// or https://',
  );

/** Proxies as all programs take them from their environment; each name may be in lower case (`readConfig`). */
export const proxySettings = {
  HTTP_PROXY: proxy
    .optional()
    .describe(
      'proxy for servers with `http://`; like the next two also in lower case: [proxies.md](operations/proxies.md)',
    ),
  HTTPS_PROXY: proxy.optional().describe('proxy for servers with `https://`, and for Temporal'),
  NO_PROXY: text(
    '',
    'servers that are reached without a proxy, comma-separated: names with all below them, addresses, networks (`10.0.0.0/8`), each with `:port` if need be; `*`: all',
  ),
} as const;

const shape = z.object(proxySettings);
export type ProxyConfig = z.infer<typeof shape>;

/** The proxies that the kubeconfig of a workload cluster may name. */
export const WORKLOAD_CLUSTER_PROXIES = z
  .string()
  .default('')
  .transform((text) => text.split(/[,\s]+/).filter((each) => each !== ''))
  .pipe(z.array(proxy))
  .describe(
    'proxies that the kubeconfig of a workload cluster may name as `proxy-url`, comma-separated; others are refused, because tenants write kubeconfigs',
  );

const NAMES = Object.keys(proxySettings) as readonly (keyof typeof proxySettings)[];

/** The variables for proxies by the names of the settings: those in lower case hold where the others are not given. */
export const proxyVariables = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = env[name] || env[name.toLowerCase()];
      return value ? [[name, value]] : [];
    }),
  );

/** The proxies of an environment without other settings. */
export function proxiesOf(env: NodeJS.ProcessEnv): ProxyConfig {
  const read = shape.safeParse(proxyVariables(env));
  if (read.success) return read.data;
  throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', '));
}
