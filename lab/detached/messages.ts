import type { ProgressEvent } from '../progress.ts';

export interface UpOptions {
  readonly dir: string;
  readonly provisioner: 'ironic' | 'fixture';
  readonly hosts: number;
  readonly fakeHosts: number;
  readonly temper: boolean;
  readonly clusterApi: boolean;
  readonly proxy: boolean;
  readonly discovery: boolean;
  readonly ironicAuth: 'noauth' | 'http_basic';
  readonly machinesFile?: string;
}

/** Messages from a detached lab to the command that started it. */
export type FromLab =
  | { readonly kind: 'progress'; readonly event: ProgressEvent }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string };
