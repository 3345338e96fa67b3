/**
 * How much of each input is read that somebody else writes: a tenant, a machine, its BMC, another server. Whatever
 * reads one imports its bound from here; test/attacks/README.md has the same table.
 */
export interface Bound {
  /** What is read, for errors. */
  readonly input: string;
  /** Of the text, or bytes where it is read as a stream. */
  readonly characters: number;
  /** Texts, numbers, lists, objects and keys in it. */
  readonly values?: number;
  /** How deep lists and objects lie in each other. */
  readonly depth?: number;
}

/** What a bound can limit. */
export type Counted = 'characters' | 'values' | 'depth';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** A Secret or an object has 1 to 3 MiB at most, and all annotations of an object together have 256 KiB. */
export const BOUNDS = {
  annotation: { input: 'the annotation', characters: 256 * KIB, values: 20_000, depth: 64 },
  conversionData: { input: 'the conversion data', characters: 256 * KIB, values: 256 * KIB, depth: 64 },
  window: { input: 'the window', characters: 500 },
  selector: { input: 'the selector', characters: 64 * KIB, values: 5_000 },
  labelPrefixes: { input: 'the label prefixes', characters: 4 * KIB, values: 100 },
  renderedData: { input: 'the rendered data', characters: MIB, values: 50_000, depth: 64 },
  pools: { input: 'the pools of the template', characters: 64 * KIB, values: 500 },
  registryLogin: { input: 'the registry login', characters: 256 * KIB, values: 10_000, depth: 8 },
  deploymentData: { input: 'the data of a deployment', characters: 4 * KIB, values: 100, depth: 8 },
  kubeconfig: { input: 'the kubeconfig', characters: 64 * KIB, values: 2_000 },
  workloadAnswer: { input: "the cluster's answer", characters: 2 * MIB, values: 50_000, depth: 64 },
  managementAnswer: { input: "the API server's answer", characters: 64 * MIB },
  page: { input: 'a page of a list', characters: 16 * MIB },
  diagnosis: { input: 'the words of a failure', characters: 4 * KIB },
  watchEvent: { input: 'the event of a watch', characters: 8 * MIB },
  ironicAnswer: { input: "Ironic's answer", characters: 4 * MIB, values: 50_000, depth: 64 },
  ironicList: { input: "Ironic's list", characters: 64 * MIB, values: 1_000_000, depth: 64 },
  ironicError: { input: "Ironic's error", characters: 64 * KIB, values: 1_000, depth: 8 },
  secretLines: { input: 'the secrets', characters: MIB, values: 5_000 },
  payloads: { input: 'the payloads', characters: 4 * MIB, values: 50_000, depth: 8 },
  review: { input: 'the review', characters: 7 * MIB },
  conversion: { input: 'the review', characters: 64 * MIB },
  text: { input: 'a text of a message', characters: 64 * KIB },
  leaseHolder: { input: 'the holder of a Lease', characters: 253 },
  discovered: { input: 'the hardware of an unknown machine', characters: 256 * KIB },
  message: { input: 'the message', characters: 2 * MIB, depth: 64 },
} as const satisfies Readonly<Record<string, Bound>>;
