import { z } from 'zod';
import { STORY_KINDS, type StoryKind } from './kinds.ts';

/** An object of the story's namespace: `IPClaim claim`. */
const reference = z.string().transform((text, context): { readonly kind: StoryKind; readonly name: string } => {
  const [word, name, ...more] = text.split(' ');
  const kind = STORY_KINDS.find((each) => each === word);
  if (kind !== undefined && name !== undefined && more.length === 0) return { kind, name };
  context.addIssue(`"${text}" is no kind and name`);
  return z.NEVER;
});
export type Reference = z.infer<typeof reference>;

const record = z.record(z.string(), z.unknown());
const content = {
  labels: record.optional(),
  annotations: record.optional(),
  finalizers: z.array(z.string()).optional(),
  spec: record.optional(),
  /** Written after the rest, as a controller does. */
  status: record.optional(),
};

/** Texts may contain `<namespace>` and `<uid of Kind name>`. */
const create = z.strictObject({
  create: reference,
  /** The first one is the controller. */
  owners: z.array(reference).default([]),
  ...content,
  stringData: z.record(z.string(), z.string()).optional(),
});

/** JSON merge patches of metadata and spec, and of the status. */
const change = z.strictObject({ change: reference, ...content });

const remove = z.strictObject({ delete: reference });

/** Waits until nothing happens; what the namespace has then is compared. */
const rest = z.strictObject({ rest: z.literal(true) });

/** A Cluster with ready infrastructure, its Metal3Cluster and a kubeconfig that leads to the same API server. */
const cluster = z.strictObject({
  cluster: z.string(),
  paused: z.boolean().default(false),
  annotations: record.default({}),
  spec: record.default({}),
});

/** A host of the fixture's hardware with its Secret. Nothing is deployed on it before it is available. */
const host = z.strictObject({
  host: z.string(),
  labels: record.default({}),
  annotations: record.default({}),
  spec: record.default({}),
});

/** A Machine with its bootstrap Secret, and its Metal3Machine. */
const machine = z.strictObject({
  machine: z.string(),
  /** Its Cluster. */
  of: z.string().default('blue'),
  /** Of the Machine. */
  owners: z.array(reference).default([]),
  labels: record.default({}),
  machineSpec: record.default({}),
  /** Of the Metal3Machine. */
  annotations: record.default({}),
  spec: record.default({}),
});

export const step = z.union([create, change, remove, rest, cluster, host, machine]);
export type Step = z.infer<typeof step>;

export type Create = z.infer<typeof create>;
export type ClusterStep = z.infer<typeof cluster>;
export type HostStep = z.infer<typeof host>;
export type MachineStep = z.infer<typeof machine>;
export type Write = Create | z.infer<typeof change> | z.infer<typeof remove>;
