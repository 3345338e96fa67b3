import type { OnAnswer } from './transport.ts';

/** A counter of requests to Ironic, as both processes have it. */
export interface IronicRequestCount {
  readonly name: 'temper_ironic_requests_total';
  readonly labels: { readonly method: string; readonly kind: string; readonly code: string };
}

/** Counts the answers of Ironic by the kind of the request. */
export const countingRequests =
  (record: (count: IronicRequestCount) => void): OnAnswer =>
  ({ method, path }, code) =>
    record({ name: 'temper_ironic_requests_total', labels: { method, kind: kindOf(path), code } });

/** The path without names and ids, of which there may be many: `nodes/states/provision`. */
function kindOf(path: string): string {
  const [collection = '', , ...rest] = (path.split('?')[0] ?? '')
    .split('/')
    .filter((part) => part !== '' && part !== 'v1');
  return [collection, ...rest.filter((part) => /^[a-z_]+$/.test(part))].join('/');
}
