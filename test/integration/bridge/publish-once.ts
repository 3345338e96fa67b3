import { pino } from 'pino';
import { expect } from 'vitest';
import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import { FIRST } from '../../../domain/entity/order.ts';
import { DEFAULT_HOST_SETTINGS } from '../../../domain/host/memory/settings.ts';
import { createHostTally } from '../../../k8s-bridge/bindings/baremetalhost/tally.ts';
import { hostBinding } from '../../../k8s-bridge/bindings/baremetalhost.ts';
import { machineBinding } from '../../../k8s-bridge/bindings/machine.ts';
import { createRestore } from '../../../k8s-bridge/lease/restore.ts';
import { createLedger, type Ledger } from '../../../k8s-bridge/ledger.ts';
import { createAnnounce } from '../../../k8s-bridge/publish/announce.ts';
import { createPublish } from '../../../k8s-bridge/publish/publish.ts';
import { createWrite } from '../../../k8s-bridge/publish/write.ts';
import type { Kube } from '../../../kube/client.ts';
import { createSerializer } from '../../../kube/one-at-a-time.ts';
import { createStore } from '../../../kube/store.ts';
import type { PublishAnswer } from '../../../workflows/messages.ts';
import type { TestView } from './recorder-workflow.ts';

export interface Publication {
  readonly kube: Kube;
  /** ms since the epoch. */
  readonly moment: number;
  readonly view: TestView;
  readonly ledger?: Ledger;
  /** Called with each measurement and its label values. */
  readonly count?: (what: string) => void;
}

/** Publishes as a bridge that has just started, at a moment of the test's choice. */
export function publishOnce({
  kube,
  moment,
  view,
  ledger = createLedger(),
  count = () => undefined,
}: Publication): Promise<PublishAnswer> {
  const log = pino({ level: 'silent' });
  const now = () => moment;
  const stores = createStore();
  const tally = createHostTally({
    record: ({ name, labels }) => count([name, ...Object.values(labels)].join(' ')),
    forget: () => undefined,
    measured: [],
  });
  const announce = createAnnounce({ kube, log, now });
  const onRefused = (kind: string): void => count(`refused ${kind}`);
  const publish = createPublish({
    bindings: [
      hostBinding({ settings: DEFAULT_HOST_SETTINGS, tally }),
      machineBinding({
        settings: { providerIdFormat: 'names', fastTrack: false },
        newsOf: () => ({ bridge: '', count: 0 }),
        driftOf: () => undefined,
      }),
    ],
    stores,
    ledger,
    toldFirst: async () => undefined,
    write: createWrite({ kube, stores, ledger, restore: createRestore(), announce, onRefused, log, now }),
    announce,
    serially: createSerializer(),
    look: () => undefined,
    onWritten: () => undefined,
    now,
  });
  return publish({ order: FIRST, at: moment, ...view }, { kind: 'workflow' });
}

/** The answer to a view that was written. */
export const PUBLISHED = { kind: 'published', at: expect.any(Number) as number };
export const NINE = Date.parse('2026-01-01T09:00:00Z');
export const TEN = Date.parse('2026-01-01T10:00:00Z');

export const refOf = ({ metadata: { namespace, name, uid = '' } }: BareMetalHost) => ({ namespace, name, uid });
