import { type Kube, KubeError } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { discoveryOf } from './api-discovery.ts';

type Asked = Pick<Kube, 'find' | 'request'>;

/** Requests for these paths are answered with a 404 that names no object. */
const answering = <Api extends Asked>(kube: Api, isCovered: (path: string) => boolean, message: string): Api => {
  const unlessCovered = <T>(path: string, ask: () => Promise<T>): Promise<T> =>
    isCovered(path) ? Promise.reject(new KubeError(`GET ${path}`, 404, { message })) : ask();
  return {
    ...kube,
    find: (path) => unlessCovered(path, () => kube.find(path)),
    request: (call) => unlessCovered(call.path, () => kube.request(call)),
  };
};

export const PAGE_404 = '<html><head><title>404 Not Found</title></head></html>';

/** A load balancer in front of the API server has a page of its own for these paths. */
export const behindPage = <Api extends Asked>(kube: Api, isCovered: (path: string) => boolean): Api =>
  answering(kube, isCovered, PAGE_404);

/** The API server does not serve the group. */
export function withoutGroup<Api extends Asked>(kube: Api, group: string): Api {
  const served = discoveryOf(Object.values(KINDS).filter(({ apiVersion }) => !apiVersion.startsWith(`${group}/`)));
  const api = answering(kube, (path) => path.startsWith(`/apis/${group}/`), '404 page not found');
  return { ...api, request: async (call) => served[call.path] ?? (await api.request(call)) };
}
