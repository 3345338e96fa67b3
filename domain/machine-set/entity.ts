import { ageOf } from '../clock.ts';
import { byName } from '../entity/by-name.ts';
import type { Ending, Entity, Outcome, Step } from '../entity/entity.ts';
import { markdown } from '../entity/markdown.ts';
import type { ObjectRef } from '../entity/object-ref.ts';
import { isPutOff, type Trouble, troubled, wait, waitToRetry } from '../entity/retry.ts';
import type { Shown } from '../entity/view.ts';
import { authorityShown, isLeftAlone, whyLeftAlone } from '../machine-api/authority.ts';
import { onlyThat } from '../machine-api/show.ts';
import { MACHINE_SET_SHAPE, type MachineSetSnapshot, type OwnedMachine } from './snapshot.ts';
import { surplusOf } from './surplus.ts';

/** Memory of the workflow of a MachineSet. Plain JSON. */
export interface MachineSetMemory {
  readonly version: 1;
  readonly seen: MachineSetSnapshot;
  /** Machines that were made or adopted and are not seen yet, by name, and the time of that; ms. */
  readonly made: Readonly<Record<string, number>>;
  /** Uids of Machines that were deleted and are not seen being deleted yet. */
  readonly deleted: readonly string[];
  readonly trouble: Trouble | null;
}

export type MachineSetAction =
  /** Makes this number of Machines from the template. */
  | { readonly name: 'make machines'; readonly order: { readonly set: ObjectRef; readonly count: number } }
  | {
      readonly name: 'delete machine';
      readonly order: { readonly set: ObjectRef; readonly machine: Pick<OwnedMachine, 'name' | 'uid'> };
    }
  /** Adopts a Machine that the selector matches and that has no controller. */
  | {
      readonly name: 'adopt machine';
      readonly order: { readonly set: ObjectRef; readonly machine: Pick<OwnedMachine, 'name' | 'uid'> };
    };

export type MachineSetAnswer =
  | { readonly kind: 'made'; readonly names: readonly string[] }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'adopted' };

type MachineSetStep = Step<MachineSetMemory, MachineSetAction>;

/** Machines made by one action. */
const MOST_AT_ONCE = 10;
/** A Machine that was made and is not seen for this time was deleted meanwhile. In ms. */
const UNSEEN_MS = 60_000;
const LAST_RETRY_MS = 60_000;

const begin = (seen: MachineSetSnapshot): MachineSetMemory => ({
  version: 1,
  seen,
  made: {},
  deleted: [],
  trouble: null,
});

function absorb(memory: MachineSetMemory, seen: MachineSetSnapshot): MachineSetMemory {
  const names = new Set(seen.machines.map(({ name }) => name));
  const there = new Map(seen.machines.map((machine) => [machine.uid, machine]));
  return {
    ...memory,
    seen,
    made: Object.fromEntries(Object.entries(memory.made).filter(([name]) => !names.has(name))),
    deleted: memory.deleted.filter((uid) => there.get(uid)?.deleting === false),
  };
}

/** The Machines in the snapshot that are not being deleted. */
const present = ({ seen, deleted }: MachineSetMemory): readonly OwnedMachine[] =>
  seen.machines.filter(({ uid, deleting }) => !deleting && !deleted.includes(uid));

function nextStep(memory: MachineSetMemory, { now }: { readonly now: number }): MachineSetStep {
  const { seen, trouble, made } = memory;
  const { namespace, name, uid, isController, invalid, scale } = seen;
  if (seen.deletionTimestamp !== undefined) return wait('being deleted');
  if (isLeftAlone(seen.authority)) return wait(whyLeftAlone(seen.authority));
  if (!isController) return wait(scale === undefined ? 'its replicas are of the user' : scaledBy(scale));
  if (invalid !== undefined) return wait(invalid);
  const lapsed = Object.entries(made).filter(([, at]) => ageOf(at, now) >= UNSEEN_MS);
  if (lapsed.length > 0) {
    return {
      kind: 'note',
      memory: {
        ...memory,
        made: without(
          made,
          lapsed.map(([each]) => each),
        ),
      },
    };
  }
  const machines = present(memory);
  const unseen = Object.values(made);
  const missing = seen.replicas - machines.length - (seen.more?.present ?? 0) - unseen.length;
  const set = { namespace, name, uid };
  const orphan = seen.orphans?.find((each) => !Object.hasOwn(made, each.name));
  if (missing === 0 && orphan === undefined) {
    const until = unseen.length > 0 ? Math.min(...unseen) + UNSEEN_MS : undefined;
    return wait(`has ${seen.replicas} ${seen.replicas === 1 ? 'Machine' : 'Machines'}`, until);
  }
  if (trouble !== null && isPutOff(trouble, now)) return waitToRetry(trouble.message, trouble.until);
  if (orphan !== undefined) return { kind: 'act', action: { name: 'adopt machine', order: { set, machine: orphan } } };
  if (missing > 0) {
    return { kind: 'act', action: { name: 'make machines', order: { set, count: Math.min(missing, MOST_AT_ONCE) } } };
  }
  const [machine] = surplusOf(machines, seen.deletePolicy);
  if (machine === undefined || unseen.length > 0)
    return wait('waiting to see the Machines that were made or adopted', Math.min(...unseen) + UNSEEN_MS);
  const order = { set, machine: { name: machine.name, uid: machine.uid } };
  return { kind: 'act', action: { name: 'delete machine', order } };
}

const scaledBy = (scale: NonNullable<MachineSetSnapshot['scale']>): string =>
  'suspended' in scale ? `not scaled: ${scale.suspended}` : `scaled to ${scale.replicas} hosts`;

const without = (made: MachineSetMemory['made'], names: readonly string[]): MachineSetMemory['made'] =>
  Object.fromEntries(Object.entries(made).filter(([name]) => !names.includes(name)));

function record(
  memory: MachineSetMemory,
  action: MachineSetAction,
  outcome: Outcome<MachineSetAnswer>,
  { now }: Ending<MachineSetMemory>,
): MachineSetMemory {
  if (outcome.kind === 'cancelled') return memory;
  if (outcome.kind === 'failed')
    return { ...memory, trouble: troubled(memory.trouble, outcome.message, now, LAST_RETRY_MS) };
  const known = { ...memory, trouble: null };
  if (action.name === 'delete machine') return { ...known, deleted: [...memory.deleted, action.order.machine.uid] };
  const names =
    action.name === 'adopt machine'
      ? [action.order.machine.name]
      : outcome.answer.kind === 'made'
        ? outcome.answer.names
        : [];
  const seen = memory.seen.machines.map(({ name }) => name);
  const unseen = names.filter((name) => !seen.includes(name)).map((name) => [name, now] as const);
  return { ...known, made: { ...memory.made, ...Object.fromEntries(unseen) } };
}

const NONE = { present: 0, deleting: 0, labelled: 0, ready: 0 };

/** Replicas are written only where they follow the hosts, the status only where Temper controls the Machines. */
function show(memory: MachineSetMemory): Shown {
  const { scale, isController, machines, invalid, generation, replicas, authority: api } = memory.seen;
  const { present, deleting, labelled, ready: others } = memory.seen.more ?? NONE;
  const authority = authorityShown(isController ? api : undefined);
  if (isLeftAlone(api)) return isController ? onlyThat(authority) : {};
  const counted = scale !== undefined && 'replicas' in scale ? scale.replicas : undefined;
  const count = (fits: (machine: OwnedMachine) => boolean): number => machines.filter(fits).length;
  const ready = count(({ isReady }) => isReady) + others;
  return {
    ...(counted !== undefined && counted !== replicas && { spec: { replicas: counted } }),
    ...(isController && {
      status: {
        replicas: machines.length + present + deleting,
        fullyLabeledReplicas: count(({ isLabelled }) => isLabelled) + labelled,
        readyReplicas: ready,
        availableReplicas: ready,
        observedGeneration: generation,
        ...(invalid && { errorReason: 'InvalidConfiguration', errorMessage: invalid }),
        ...authority.status,
      },
      ...(api !== undefined && { conditions: authority.conditions }),
    }),
  };
}

const summaryOf = byName<MachineSetAction, string>({
  'make machines': ({ order }) => `Make ${order.count} ${order.count === 1 ? 'Machine' : 'Machines'}`,
  'delete machine': ({ order }) => `Delete Machine ${order.machine.name}`,
  'adopt machine': ({ order }) => `Adopt Machine ${order.machine.name}`,
});

export const machineSetEntity: Entity<MachineSetSnapshot, MachineSetMemory, MachineSetAction, MachineSetAnswer> = {
  snapshot: MACHINE_SET_SHAPE,
  begin,
  absorb,
  nextStep,
  record,
  show,
  summaryOf,
  detailsOf: ({ seen }, waitingFor) =>
    markdown`**MachineSet ${seen.name}** in ${seen.namespace}: ${seen.machines.length + (seen.more?.present ?? 0)} of ${seen.replicas} Machines\n\n${waitingFor}`,
};
