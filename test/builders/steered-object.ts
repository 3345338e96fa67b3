import type { BridgeEvent } from '../../k8s-bridge/binding.ts';
import type { SteeringDeps } from '../../k8s-bridge/steering/steer-object.ts';
import { STEERED_HOST, STEERED_MACHINE, steeredMachineApi } from '../../k8s-bridge/steering/steered-kinds.ts';
import { noteAnnotations } from '../../k8s-bridge/steering/steering.ts';
import { KubeError } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
export const HOST = { namespace: 'metal', name: 'node-1', uid: 'u' };
export const ASKED = { by: 'ada', reason: 'the fan is loud' };

interface Cr {
  readonly metadata: { readonly annotations: Record<string, string>; readonly [key: string]: unknown };
  readonly spec: object;
  readonly status: object;
}

/** An API server with one object that people steer; it refuses the next writes with these statuses. */
export function aServer(
  change: {
    annotations?: Record<string, string>;
    metadata?: object;
    refusing?: number[];
    state?: string;
    status?: object;
  } = {},
) {
  let version = 7;
  let cr: Cr = {
    metadata: { ...HOST, resourceVersion: '7', annotations: change.annotations ?? {}, ...change.metadata },
    spec: { online: true },
    status: change.status ?? { provisioning: { state: change.state ?? 'provisioned' } },
  };
  const refusing = [...(change.refusing ?? [])];
  const patches: unknown[] = [];
  const events: BridgeEvent[] = [];
  const refusals: string[] = [];
  const deps: SteeringDeps = {
    kube: {
      find: () => Promise.resolve(structuredClone(cr)),
      patch(_, body) {
        const status = refusing.shift();
        if (status !== undefined)
          throw new KubeError('PATCH', status, {
            object: 'node-1',
            reason: 'Conflict',
            message: 'your user name is x',
          });
        patches.push(body);
        const { metadata, spec } = body as { metadata: { annotations: Record<string, string | null> }; spec?: object };
        const annotations = Object.entries({ ...cr.metadata.annotations, ...metadata.annotations });
        version += 1;
        cr = {
          ...cr,
          metadata: {
            ...cr.metadata,
            resourceVersion: String(version),
            annotations: Object.fromEntries(
              annotations.flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
            ),
          },
          spec: { ...cr.spec, ...spec },
        };
        return Promise.resolve(cr);
      },
    },
    announce: (_, __, event) => Promise.resolve(events.push(event)),
    now: () => NOW,
    onAnnotationRefused: (message) => refusals.push(message),
  };
  const entry = () => ({ ...HOST, resourceVersion: String(version), object: structuredClone(cr) });
  return {
    deps,
    patches,
    events,
    refusals,
    cr: () => cr,
    note: () => noteAnnotations(STEERED_HOST, entry() as never, deps),
    noteMachine: () => noteAnnotations(STEERED_MACHINE, entry() as never, deps),
    noteMachineApi: () => noteAnnotations(steeredMachineApi(KINDS.openShiftMachine), entry() as never, deps),
  };
}
