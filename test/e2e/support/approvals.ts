import { z } from 'zod';
import { historyOf } from '../../../domain/steering/history.ts';
import { hostWorkflowId } from '../../../workflows/messages.ts';
import { fixtureHost, fixtureSecret, type TestFixtureLab } from './fixture.ts';
import type { Run } from './histories.ts';
import { apply, getHost, type Host, hostIn, hostThat, kubectl, NAMESPACE } from './hosts.ts';
import { type Steered, steered } from './steering.ts';

/** Hosts whose steps are held until somebody approves them, or until it is their turn. */

const conditions = z.object({
  conditions: z.array(z.object({ type: z.string(), reason: z.string(), message: z.string() })).default([]),
});

type Held = z.infer<typeof conditions>['conditions'][number];

/** What a host says while one of its steps is held; undefined: none is. */
export const heldIn = ({ status }: Host): Held | undefined =>
  conditions.parse(status).conditions.find(({ type }) => type === 'StepHeld');

/** The code that an approval of the step needs; '' when the message has none. */
export const codeIn = (message: string): string => /[a-z-]+-[0-9a-f]{32}/.exec(message)?.[0] ?? '';

/** The value with which a host asks for an approval before it erases. */
export const ERASE = { 'temper/approval': 'erase' };

export const idOf = (name: string): string => hostWorkflowId({ namespace: NAMESPACE, name });
export const isHost = ({ type }: Run): boolean => type === 'hostWorkflow';

interface Approvals extends Omit<Steered, 'told' | 'send'> {
  /** Creates a host with these annotations, and waits until it is available. */
  readonly available: (name: string, annotations?: object) => Promise<void>;
  /**
   * Waits until the host is held for this reason by a step whose code is another one; returns what the condition says.
   */
  readonly held: (
    name: string,
    reason: string,
    former?: string,
  ) => Promise<{ readonly code: string; readonly message: string }>;
  /** Approves the step as ada, by an update of the host's run. */
  readonly approve: (name: string, code: string) => Promise<string>;
  /** Rejects the step in the same way. */
  readonly reject: (name: string, code: string) => Promise<string>;
  /** Sets and removes annotations as kubectl writes them: `<key>=<value>`, `<key>-`. */
  readonly annotate: (name: string, ...changes: readonly string[]) => Promise<string>;
  readonly stateOf: (name: string) => Promise<string | undefined>;
  /** The list on the object: `approve by ada: <code>: <reason>`. */
  readonly told: (name: string) => Promise<readonly string[]>;
}

export function approvals(lab: () => TestFixtureLab): Approvals {
  const { send, ...host } = steered(lab, 'BareMetalHost');
  return {
    ...host,
    async available(name, annotations = ERASE) {
      await apply(lab(), fixtureSecret(name), fixtureHost(name, {}, annotations));
      await hostIn(lab(), name, 'available');
    },
    async held(name, reason, former = '') {
      const isHeld = (one: Host): boolean => {
        const found = heldIn(one);
        return found?.reason === reason && (former === '' || codeIn(found.message) !== former);
      };
      const { message = '' } = heldIn(await hostThat(lab(), name, `held: ${reason}`, isHeld)) ?? {};
      return { code: codeIn(message), message };
    },
    approve: (name, code) => send(name, 'approve', { code, reason: 'the backup is done' }),
    reject: (name, code) => send(name, 'reject', { code, reason: 'not before the backup' }),
    annotate: (name, ...changes) => kubectl(lab(), ['annotate', '--overwrite', 'bmh', name, ...changes]),
    stateOf: async (name) => (await getHost(lab(), name))?.status.provisioning.state,
    told: async (name) =>
      historyOf(await host.annotationsOf(name)).map(({ what, by, reason }) => `${what} by ${by}: ${reason}`),
  };
}
