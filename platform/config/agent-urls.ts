import type { AgentUrl, AgentUrls } from '../../domain/preprovisioning/urls.ts';

/**
 * The operator's images of the deploy agent, by architecture where there are several. Precedence:
 * `DEPLOY_ISO_URL_AARCH64`, then `DEPLOY_ISO_BY_ARCH=aarch64:http://…,x86_64:http://…`, then `DEPLOY_ISO_URL`.
 */
export const readAgentUrls = (env: NodeJS.ProcessEnv): AgentUrls => ({
  iso: readUrl(env, 'DEPLOY_ISO'),
  kernel: readUrl(env, 'DEPLOY_KERNEL'),
  ramdisk: readUrl(env, 'DEPLOY_RAMDISK'),
});

function readUrl(env: NodeJS.ProcessEnv, name: string): AgentUrl {
  const base = env[`${name}_URL`];
  const own = `${name}_URL_`;
  const listed = (env[`${name}_BY_ARCH`] ?? '').split(',').map((entry): readonly [string, string] => {
    const colon = entry.indexOf(':');
    return [entry.slice(0, Math.max(colon, 0)).toUpperCase(), entry.slice(colon + 1)];
  });
  const named = Object.entries(env).map(([key, url = '']): readonly [string, string] => [
    key.startsWith(own) ? key.slice(own.length) : '',
    url,
  ]);
  // When an architecture has two entries, the first one is used.
  const known = [...listed.toReversed(), ...named].filter(([architecture, url]) => architecture !== '' && url !== '');
  return { ...(base && { base }), byArchitecture: Object.fromEntries(known) };
}
