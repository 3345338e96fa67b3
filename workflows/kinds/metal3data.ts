import { type DataAction, type DataAnswer, type DataMemory, dataEntity } from '../../domain/data/entity.ts';
import { byName } from '../../domain/entity/by-name.ts';
import { type EntityStart, live } from '../life/live.ts';
import type { Performing } from '../life/run.ts';
import { requests } from '../proxies.ts';

/** One Metal3Data: claims addresses, has the Secrets written, releases the addresses. It never sees rendered texts. */
export const dataWorkflow = (start: EntityStart<DataMemory>): Promise<void> =>
  live({ kind: 'Metal3Data', entity: dataEntity, perform }, start);

const perform = byName<DataAction, Promise<DataAnswer>, [Performing]>({
  'claim addresses': (action, { summary }) => requests(summary).claimAddresses(action),
  'let claims go': (action, { summary }) => requests(summary).letClaimsGo(action),
  render: (action, { summary }) => requests(summary).renderData(action),
  'release addresses': (action, { summary }) => requests(summary).releaseAddresses(action),
});
