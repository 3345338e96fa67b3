import { messageOf } from '../../domain/message-of.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import type { Log } from '../../platform/log.ts';
import type { Binding } from '../binding.ts';
import { hidesNewSpec, type MarkCondition, outageMark } from './mark-condition.ts';

interface ShowOutageDeps {
  readonly markCondition: MarkCondition;
  /** That Temporal does not answer, in words; undefined: it does. */
  readonly outage: () => string | undefined;
  readonly log: Log;
}

/**
 * Shows on a host with a new spec that its run cannot be told of it while Temporal does not answer. Otherwise clients
 * that follow kstatus would go on. One write at most for each host: what it shows then is enough.
 */
export function createShowOutage({ markCondition, outage, log }: ShowOutageDeps) {
  return async (binding: Binding, entry: Entry): Promise<void> => {
    const words = outage();
    if (words === undefined || !hidesNewSpec(binding, readObject(entry.object))) return;
    await markCondition(binding, entry, outageMark(words)).catch((error: unknown) =>
      log.info({ object: keyOf(entry), error: messageOf(error) }, 'the outage of Temporal could not be shown'),
    );
  };
}
