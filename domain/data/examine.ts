import { BeyondBound } from '../bounds/beyond-bound.ts';
import { addressesOf, type ClaimedAddresses } from './addresses.ts';
import { type DataInputs, DataProblem } from './facts.ts';
import { secretNames } from './names.ts';
import type { DataObjects, Metal3MachineFacts, TemplateFacts } from './objects.ts';
import { type PoolReference, poolProblem, referencedPools } from './pools.ts';
import type { RenderInputs } from './render.ts';

/** A Secret that a template asks for. */
export interface WantedSecret {
  readonly key: 'metaData' | 'networkData';
  readonly name: string;
  readonly exists: boolean;
}

/** What prevents rendering: a problem is shown to users; a temporary condition is not. */
export interface Hindrance {
  readonly kind: 'problem' | 'waiting';
  readonly message: string;
}

/** The progress of a Metal3Data up to rendering. */
export interface Assessed {
  /** Known as soon as the template and the Metal3Machine are known. */
  readonly secrets: readonly WantedSecret[];
  readonly unclaimed: readonly PoolReference[];
  readonly strays: readonly string[];
  readonly hindrance?: Hindrance;
  /** undefined while something prevents rendering, and when all Secrets exist. */
  readonly inputs?: RenderInputs;
}

const NOTHING: Assessed = { secrets: [], unclaimed: [], strays: [] };

const waiting = (message: string): Hindrance => ({ kind: 'waiting', message });
const problem = (message: string): Hindrance => ({ kind: 'problem', message });

/** The pools from which the template asks for addresses, with or without claims; none while an object is missing. */
export function askedPools(objects: DataObjects): readonly PoolReference[] {
  const found = objects.data.template?.name ? sourcesOf(objects) : undefined;
  const { machine, host } = objects;
  if (found === undefined || 'kind' in found || machine === undefined || host === undefined) return [];
  const { template, metal3Machine } = found;
  const pools = told(() => ({ asked: referencedPools(template, { metal3Machine, machine, host }) }));
  return 'asked' in pools ? pools.asked : [];
}

/** Existing Secrets are never rendered again: a machine that is deployed again gets the same data. */
export function assess(objects: DataObjects): Assessed {
  const { data } = objects;
  if (!data.template?.name) return { ...NOTHING, hindrance: waiting('its spec names no Metal3DataTemplate') };
  const found = sourcesOf(objects);
  if ('kind' in found) return { ...NOTHING, hindrance: found };
  const { template, metal3Machine } = found;
  const secrets = wantedSecrets(objects, template, metal3Machine);
  if (secrets.every(({ exists }) => exists)) return { ...NOTHING, secrets };
  const { machine, host } = objects;
  if (machine === undefined) {
    return {
      ...NOTHING,
      secrets,
      hindrance: waiting('waiting for Machine Controller to set OwnerRef on Metal3Machine'),
    };
  }
  if (host === undefined) {
    return { ...NOTHING, secrets, hindrance: waiting('waiting for BareMetalHost to become available') };
  }
  const facts = { metal3Machine, machine, host };
  return { ...NOTHING, secrets, ...told(() => pooled(objects, template, facts, secrets)) };
}

interface Sources {
  readonly template: TemplateFacts;
  readonly metal3Machine: Metal3MachineFacts;
}

function sourcesOf({ data, template, problem: unreadable, claim, metal3Machine }: DataObjects): Sources | Hindrance {
  if (unreadable !== undefined) return problem(unreadable);
  if (template === undefined) return waiting('Metal3DataTemplate is not found');
  if (!data.claim?.name) return problem('Metal3DataClaim name not set');
  if (claim === undefined) return waiting('Metal3DataClaim is not found');
  if (claim.metal3Machine === undefined) return problem('metal3Machine not found in owner references');
  if (metal3Machine === undefined) return waiting('Metal3Machine is not found');
  const { name, namespace = '' } = metal3Machine.dataTemplate ?? {};
  if (name !== template.name || (namespace !== '' && namespace !== template.namespace)) {
    return problem('metal3Machine associated with Metal3DataTemplate is not found');
  }
  return { template, metal3Machine };
}

function wantedSecrets(
  { data, hasSecret }: DataObjects,
  template: TemplateFacts,
  metal3Machine: Metal3MachineFacts,
): readonly WantedSecret[] {
  const keys = (['metaData', 'networkData'] as const).filter((key) => template[key] !== undefined);
  return keys.map((key) => {
    const name = data.secrets[key] || secretNames(metal3Machine.name)[key];
    return { key, name, exists: hasSecret(name) };
  });
}

function pooled(
  { data, addresses }: DataObjects,
  template: TemplateFacts,
  facts: DataInputs,
  secrets: readonly WantedSecret[],
): Omit<Assessed, 'secrets'> {
  const pools = referencedPools(template, facts);
  const [unanswered] = pools.flatMap((pool) => poolProblem(pool) ?? []);
  if (unanswered !== undefined) return { unclaimed: [], strays: [], hindrance: problem(unanswered) };
  const claimed = addressesOf(pools, data, facts.host.name, addresses);
  const { unclaimed, strays } = claimed;
  const hindrance = missing(claimed);
  if (hindrance !== undefined) return { unclaimed, strays, hindrance };
  const { namespace, index } = data;
  const absent = secrets.filter(({ exists }) => !exists).map(({ key, name }) => ({ key, name }));
  return {
    unclaimed,
    strays,
    inputs: { ...facts, template, namespace, index, pools: claimed.addresses, secrets: absent },
  };
}

function missing({ problem: told, unclaimed, waiting: reasons }: ClaimedAddresses): Hindrance | undefined {
  if (told !== undefined) return problem(told);
  const all = [...unclaimed.map(({ kind, name }) => `a claim for ${kind} ${name}`), ...reasons];
  return all.length === 0 ? undefined : waiting(`waiting for ${all.join(', ')}`);
}

function told<Answer extends object>(answer: () => Answer): Answer | { readonly hindrance: Hindrance } {
  try {
    return answer();
  } catch (error) {
    if (error instanceof DataProblem || error instanceof BeyondBound) return { hindrance: problem(error.message) };
    throw error;
  }
}
