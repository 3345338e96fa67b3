import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../domain/message-of.ts';
import type { Kube } from '../../../kube/client.ts';
import { hostCollection } from '../../../kube/paths.ts';
import { fixtureHost } from '../../e2e/support/fixture.ts';
import { NAMESPACE } from '../../e2e/support/hosts.ts';

export interface Admission {
  readonly asked: number;
  /** What the API server said instead of admitting the host. */
  readonly refused: readonly string[];
}

const PAUSE_MS = 250;

/** Asks the API server again and again to admit a host that is not stored, until `stop`. */
export function askForAdmission(kube: Kube): { stop(): Promise<Admission> } {
  const ending = new AbortController();
  const { signal } = ending;
  const refused: string[] = [];
  let asked = 0;
  const path = hostCollection(NAMESPACE);
  const ask = async (): Promise<void> => {
    while (!signal.aborted) {
      asked += 1;
      await kube
        .request({ method: 'POST', path, query: { dryRun: 'All' }, body: fixtureHost('asked') })
        .catch((error: unknown) => refused.push(messageOf(error)));
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const asking = ask();
  return {
    stop: async () => {
      ending.abort();
      await asking;
      return { asked, refused };
    },
  };
}
