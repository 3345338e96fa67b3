import { byName } from '../../domain/entity/by-name.ts';
import type { PoolAction, PoolAnswer } from '../../domain/ip-pool/action.ts';
import { ipPoolEntity } from '../../domain/ip-pool/entity.ts';
import type { PoolMemory } from '../../domain/ip-pool/memory.ts';
import { type EntityStart, live } from '../life/live.ts';
import type { Performing } from '../life/run.ts';
import { requests } from '../proxies.ts';

/** One IPPool: only this workflow gives its addresses to claims and frees them. */
export const ipPoolWorkflow = (start: EntityStart<PoolMemory>): Promise<void> =>
  live({ kind: 'IPPool', entity: ipPoolEntity, perform }, start);

const perform = byName<PoolAction, Promise<PoolAnswer>, [Performing]>({
  link: (action, { summary }) => requests(summary).linkPool(action),
  settle: (action, { summary }) => requests(summary).settleAddresses(action),
});
