import { registerHooks } from 'node:module';

const CONFIG = '/@kubernetes/client-node/dist/config.js';
const WHOLE_CLIENT = './gen/index.js';

/**
 * We use the library for kubeconfigs, credentials and TLS. Its module for these imports a client with 25 MB of source
 * text. Instead of that client, the module gets only the two names that it uses.
 */
const hooks = registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (specifier !== WHOLE_CLIENT || parentURL?.endsWith(CONFIG) !== true) return next(specifier, context);
    const at = (module: string): string => JSON.stringify(new URL(`./gen/${module}`, parentURL).href);
    const source = `export { createConfiguration } from ${at('configuration.js')};
      export { ServerConfiguration } from ${at('servers.js')};`;
    return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true };
  },
});
export const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
export const { HttpMethod, RequestContext } = await import('@kubernetes/client-node/dist/gen/http/http.js');
hooks.deregister();

export type KubeConfig = InstanceType<typeof KubeConfig>;
